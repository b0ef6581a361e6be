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

/// Marks the invalid primitives of a warp, which are of 32 neighbouring numbers. All lanes of the warp call it.
__device__ inline void mark_invalid(const KeyBuckets& buckets, u64 i, bool is_there, bool is_valid) {
  const u32 invalid = __ballot_sync(all_lanes, is_there && !is_valid);
  if (!is_there || lane_id() != 0) return;
  buckets.invalid_bits[i / warp_size] = invalid;
  u32* const of_chunk = buckets.counts + buckets.shape.bucket_count + i / BucketShape::capacity;
  if (invalid != 0) fetch_add_relaxed(of_chunk, u32(__popc(invalid)));
}

/// The place of a lane's key in its bucket. The lanes of a warp that share a bucket take their places together.
struct PlaceInBucket {
  u32 rank, leader, first;

  /// All lanes of a warp call it.
  ///   bucket: invalid_id for a lane without a key
  __device__ void take(const KeyBuckets& buckets, u32 bucket) {
    const bool is_one = __all_sync(all_lanes, bucket == shuffle_from(bucket, 0)) != 0;
    const u32 peers = is_one ? all_lanes : __match_any_sync(all_lanes, bucket);
    rank = u32(__popc(peers & lower_lanes()));
    leader = u32(__ffs(int(peers))) - 1;
    first = 0;
    if (bucket != invalid_id && rank == 0) first = fetch_add_relaxed(buckets.counts + bucket, u32(__popc(peers)));
  }
  /// All lanes of a warp call it, some time after take(), so that several atomics overlap.
  __device__ u32 get() const { return __shfl_sync(all_lanes, first, int(leader)) + rank; }
};

__device__ inline void store_key(const KeyBuckets& buckets, u32 bucket, u32 k, u64 key, u64 id) {
  if (k >= BucketShape::capacity) {
    store_relaxed(&buckets.state->overflowed, 1u);
    return;
  }
  const u64 place = buckets.place(bucket) + k;
  buckets.keys[place] = key;
  buckets.ids[place] = u32(id);
}

/// Puts the keys of a tile into their buckets. All threads of a block call it.
///   guess: the bucket of the thread's last key; becomes that of this one
template <class Ready>
__device__ void distribute_tile_of_keys(const Ready& ready, const KeyBuckets& buckets, u64 first, u32& guess) {
  constexpr u32 at_once = DistributeShape::at_once, threads = DistributeShape::threads;
  const u64 n = buckets.shape.n;
  Aabb box[at_once];
#pragma unroll
  for (u32 k = 0; k < at_once; ++k) box[k] = ready.start(smaller(first + k * threads + threadIdx.x, n - 1));

  u64 key[at_once];
  u32 bucket[at_once];
  PlaceInBucket place[at_once];
#pragma unroll
  for (u32 k = 0; k < at_once; ++k) {
    const u64 i = first + k * threads + threadIdx.x;
    const bool is_there = i < n;
    key[k] = is_there ? ready.finish(i, box[k]) & buckets.key_mask : invalid_morton_key;
    const bool is_valid = key[k] < invalid_morton_key;
    mark_invalid(buckets, i, is_there, is_valid);
    if (is_valid) guess = buckets.bucket_of(key[k], guess);
    bucket[k] = is_valid ? guess : invalid_id;
    place[k].take(buckets, bucket[k]);
  }
#pragma unroll
  for (u32 k = 0; k < at_once; ++k) {
    const u32 in_bucket = place[k].get();
    if (bucket[k] != invalid_id) {
      store_key(buckets, bucket[k], in_bucket, key[k], first + k * threads + threadIdx.x);
    }
  }
}

/// Each block takes neighbouring tiles, so that the last bucket is a good guess.
template <class KeyOf>
__global__ static void __launch_bounds__(DistributeShape::threads, DistributeShape::blocks)
    distribute_keys_kernel(const KeyOf key_of, const KeyBuckets buckets) {
  overlap_launches();
  if (buckets.order_is_lost()) return;
  const auto ready = key_of.ready();
  const u64 tiles = divide_rounding_up(buckets.shape.n, DistributeShape::tile);
  const u64 begin = blockIdx.x * tiles / gridDim.x, end = (blockIdx.x + u64{1}) * tiles / gridDim.x;
  u32 guess = 0;
  for (u64 tile = begin; tile < end; ++tile) {
    distribute_tile_of_keys(ready, buckets, tile * DistributeShape::tile, guess);
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
