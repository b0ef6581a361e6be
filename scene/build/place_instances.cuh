#pragma once

#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "scene/walk/placed_instance.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 place_threads = 128;

/// The records of a warp in shared memory, with a quad between them, so that lanes with neighbouring records write to
/// different banks.
struct PlacedOfWarp {
  static constexpr u32 quads = sizeof(copse::detail::PlacedInstance) / sizeof(uint4), stride = quads + 1;
  uint4 records[warp_size * stride];
  float boxes[warp_size * 6];
};

/// Stores the records and the boxes of a warp as whole cache lines.
template <class Place>
__global__ void __launch_bounds__(place_threads)
    store_placed_kernel(u64 n, const Place place, copse::detail::PlacedInstance* placed, Aabb* boxes) {
  __shared__ PlacedOfWarp memory[place_threads / warp_size];
  overlap_launches();
  const u64 first = (u64{blockIdx.x} * place_threads + threadIdx.x) / warp_size * warp_size;
  if (first >= n) return;
  PlacedOfWarp& own = memory[threadIdx.x / warp_size];
  const u32 lane = lane_id(), count = u32(smaller(n - first, u64{warp_size}));
  if (lane < count) {
    const copse::detail::PlacedInstance instance = place(first + lane);
#pragma unroll
    for (u32 k = 0; k < PlacedOfWarp::quads; ++k) {
      own.records[lane * PlacedOfWarp::stride + k] = reinterpret_cast<const uint4*>(&instance)[k];
    }
    float* const box = own.boxes + lane * 6;
    box[0] = instance.lo.x, box[1] = instance.lo.y, box[2] = instance.lo.z;
    box[3] = instance.hi.x, box[4] = instance.hi.y, box[5] = instance.hi.z;
  }
  __syncwarp();
  auto* const records = reinterpret_cast<uint4*>(placed + first);
  for (u32 i = lane; i < count * PlacedOfWarp::quads; i += warp_size) {
    records[i] = own.records[i / PlacedOfWarp::quads * PlacedOfWarp::stride + i % PlacedOfWarp::quads];
  }
  auto* const floats = reinterpret_cast<float*>(boxes + first);
  for (u32 i = lane; i < count * 6; i += warp_size) floats[i] = own.boxes[i];
}

}  // namespace detail

/// Contract: scene/build/place_instances.inl.
template <class Place>
void store_placed(const Executor& ex, const char* label, u64 n, const Place& place,
                  copse::detail::PlacedInstance* placed, Aabb* boxes) {
  launch(ex, label, detail::store_placed_kernel<Place>,
         {.blocks = divide_rounding_up(n, u64{detail::place_threads}),
          .threads = detail::place_threads,
          .overlaps_earlier_launch = true},
         n, place, placed, boxes);
}

}  // namespace copse::cuda
