#pragma once

// Boxes in the lanes of a warp.

#include "builders/geometry/aabb.h"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

/// The box around the `size` lanes up to `last`; as many as a lane likes, none for 0.
__device__ inline Aabb box_of_lanes(Aabb own, u32 last, u32 size) {
  const u32 most = __reduce_max_sync(all_lanes, size);
  Aabb box = Aabb::empty();
#pragma unroll
  for (u32 k = 0; k < 6; ++k) {
    // `own` is the box of 2^k lanes up to this one.
    if (most >> k == 0) break;
    const Aabb part = shuffle_from(own, last);
    if ((size >> k & 1) != 0) {
      box = merge(box, part);
      last -= 1u << k;
    }
    if (k < 5) own = merge(own, shuffle_up(own, 1u << k));
  }
  return box;
}

}  // namespace copse::cuda::detail
