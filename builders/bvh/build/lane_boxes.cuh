#pragma once

// Boxes in the lanes of a warp.

#include "builders/geometry/aabb.h"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

/// The box around the `size` lanes up to `last`; as many as a lane likes, none for 0.
///   size_limit: a power of two that no lane's size reaches; the smaller, the cheaper
template <u32 size_limit = 2 * warp_size>
__device__ inline Aabb box_of_lanes(Aabb own, u32 last, u32 size) {
  const u32 most = __reduce_max_sync(all_lanes, size);
  Aabb box = Aabb::empty();
#pragma unroll
  for (u32 k = 0; 1u << k < size_limit; ++k) {
    // `own` is the box of 2^k lanes up to this one.
    if (k > 0) {
      if (most >> k == 0) break;
      own = merge(own, shuffle_up(own, 1u << (k - 1)));
    }
    const Aabb part = shuffle_from(own, last);
    if ((size >> k & 1) != 0) {
      box = merge(box, part);
      last -= 1u << k;
    }
  }
  return box;
}

/// The box around those of all lanes, known to lane 0.
__device__ inline Aabb box_of_all_lanes(Aabb own) {
#pragma unroll
  for (u32 distance = warp_size / 2; distance > 0; distance /= 2) own = merge(own, shuffle_down(own, distance));
  return own;
}

}  // namespace copse::cuda::detail
