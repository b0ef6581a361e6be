#pragma once

// Traversals compiled for one octant of directions. If all rays of a warp point into the same octant, each box takes
// six instructions less. These six choose between its planes, and run on the GPU's slower pipe.

#include "primitives/cuda/warp.cuh"
#include "trace/hit/slabs.h"

namespace copse::cuda::detail {

/// The octant of all rays of the warp, or any_octant if they differ. All lanes call it.
__device__ inline u32 octant_of_warp(const RaySlabs& slabs) {
  const u32 x = __ballot_sync(all_lanes, slabs.scale.x < 0);
  const u32 y = __ballot_sync(all_lanes, slabs.scale.y < 0);
  const u32 z = __ballot_sync(all_lanes, slabs.scale.z < 0);
  // A ballot of no lane is 0 and of all lanes is -1. Any other value means different signs.
  if (x + 1 > 1 || y + 1 > 1 || z + 1 > 1) return any_octant;
  return (x & 1) | (y & 2) | (z & 4);
}

/// Calls walk.run<octant>(). The octant is the same for all lanes.
template <class Walk>
[[gnu::always_inline]] __device__ inline void run_in_octant(u32 octant, Walk& walk) {
  switch (octant) {
    case 0: walk.template run<0>(); break;
    case 1: walk.template run<1>(); break;
    case 2: walk.template run<2>(); break;
    case 3: walk.template run<3>(); break;
    case 4: walk.template run<4>(); break;
    case 5: walk.template run<5>(); break;
    case 6: walk.template run<6>(); break;
    case 7: walk.template run<7>(); break;
    default: walk.template run<any_octant>();
  }
}

}  // namespace copse::cuda::detail
