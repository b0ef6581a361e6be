#pragma once

// Buckets of Morton keys on CUDA. Contract: builders/bvh/morton/last_order.cuh.
//
// Neighbours in a mesh mostly fall into the same bucket. So the lanes of a warp with one bucket take their places by
// one atomic, and write their keys side by side.

#include <type_traits>

#include "builders/bvh/morton/bucket_sort.cuh"
#include "builders/bvh/morton/last_order.cuh"
#include "builders/geometry/box_sources.h"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

struct DistributeShape {
  static constexpr u32 threads = 256;
  static constexpr u32 blocks = 4;   // per multiprocessor
  static constexpr u32 at_once = 4;  // primitives of a thread, so that loads overlap
  static constexpr u64 tile = u64{threads} * at_once;
};

/// Puts the key of a lane into its bucket. All lanes of a warp call it, for 32 neighbouring primitives.
///   bucket: of the lane's last key; becomes that of this one
__device__ inline void place_key(const KeyBuckets& buckets, u64 i, u64 key, bool is_there, u32& bucket) {
  const bool is_valid = is_there && key < invalid_morton_key;
  const u32 invalid = __ballot_sync(all_lanes, is_there && !is_valid);
  if (is_there && lane_id() == 0) {
    buckets.invalid_bits[i / warp_size] = invalid;
    u32* const of_chunk = buckets.counts + buckets.shape.bucket_count + i / BucketShape::capacity;
    if (invalid != 0) fetch_add_relaxed(of_chunk, u32(__popc(invalid)));
  }
  if (is_valid) bucket = buckets.bucket_of(key, bucket);

  const u32 peers = __match_any_sync(all_lanes, is_valid ? bucket : invalid_id);
  const u32 rank = u32(__popc(peers & lower_lanes()));
  u32 first = 0;
  if (is_valid && rank == 0) first = fetch_add_relaxed(buckets.counts + bucket, u32(__popc(peers)));
  first = __shfl_sync(all_lanes, first, __ffs(int(peers)) - 1);
  if (!is_valid) return;
  if (first + rank >= BucketShape::capacity) {
    store_relaxed(&buckets.state->overflowed, 1u);
    return;
  }
  const u64 place = buckets.place(bucket) + first + rank;
  buckets.keys[place] = key;
  buckets.ids[place] = u32(i);
}

template <class KeyOf>
__global__ static void __launch_bounds__(DistributeShape::threads, DistributeShape::blocks)
    distribute_keys_kernel(const KeyOf key_of, const KeyBuckets buckets) {
  constexpr u32 at_once = DistributeShape::at_once;
  overlap_launches();
  if (buckets.order_is_lost()) return;
  const auto ready = key_of.ready();
  const u64 n = buckets.shape.n, step = gridDim.x * DistributeShape::tile;
  u32 bucket = 0;
  for (u64 first = blockIdx.x * DistributeShape::tile; first < n; first += step) {
    Aabb box[at_once];
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) {
      box[k] = ready.start(smaller(first + k * DistributeShape::threads + threadIdx.x, n - 1));
    }
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) {
      const u64 i = first + k * DistributeShape::threads + threadIdx.x;
      const u64 key = i < n ? ready.finish(i, box[k]) & buckets.key_mask : 0;
      place_key(buckets, i, key, i < n, bucket);
    }
  }
}

template <class KeyOf>
void launch_distribution_of_keys(const Executor& ex, const KeyOf& key_of, const KeyBuckets& buckets) {
  const u64 tiles = divide_rounding_up(buckets.shape.n, DistributeShape::tile);
  launch(ex, "last order: keys", distribute_keys_kernel<KeyOf>,
         {.blocks = smaller(tiles, u64{DistributeShape::blocks} * ex.multiprocessor_count),
          .threads = DistributeShape::threads,
          .overlaps_earlier_launch = true},
         key_of, buckets);
}

}  // namespace detail

/// Contract: builders/bvh/morton/last_order.cuh.
template <class Boxes>
void distribute_keys(const Executor& ex, const copse::detail::MortonKeyOf<Boxes>& key_of,
                     const copse::detail::KeyBuckets& buckets) {
  if constexpr (std::is_same_v<Boxes, TriangleBoxes>) {
    using GatheredBoxes = copse::detail::GatheredBoxes<copse::detail::TripleLoad::singly>;
    if (GatheredBoxes::takes(key_of.boxes)) {
      const copse::detail::MortonKeyOf<GatheredBoxes> gathered{GatheredBoxes::of(key_of.boxes), key_of.bounds,
                                                               key_of.precomputed};
      return detail::launch_distribution_of_keys(ex, gathered, buckets);
    }
  }
  detail::launch_distribution_of_keys(ex, key_of, buckets);
}

/// Contract: builders/bvh/morton/last_order.cuh.
template <class Order>
void sort_buckets(const Executor& ex, const copse::detail::KeyBuckets& buckets, const Order& order) {
  launch(ex, "last order: sort buckets", detail::sort_buckets_kernel<Order>,
         {.blocks = buckets.shape.list_count(),
          .threads = detail::BucketMemory::threads,
          .shared_bytes = sizeof(detail::BucketMemory),
          .overlaps_earlier_launch = true},
         buckets, order);
}

}  // namespace copse::cuda
