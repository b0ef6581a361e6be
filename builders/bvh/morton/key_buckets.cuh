#pragma once

// Buckets of Morton keys on CUDA. Contract: builders/bvh/morton/last_order.cuh.
//
// Neighbours in a mesh mostly fall into the same bucket. So the lanes of a warp that share a bucket reserve their
// places by one atomic, and write their keys side by side.

#include <type_traits>

#include "builders/bvh/morton/bucket_sort.cuh"
#include "builders/bvh/morton/last_order.cuh"
#include "builders/bvh/morton/sample_ranks.cuh"
#include "builders/geometry/box_sources.h"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::MortonOrderOutput;

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

__device__ inline void store_word(const KeyBuckets& buckets, u32 bucket, u32 k, u64 word) {
  if (k < BucketShape::capacity) {
    buckets.bucket(bucket)[k] = word;
  } else {
    store_relaxed(&buckets.state->overflowed, 1u);
  }
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

  u64 word[at_once];
  u32 bucket[at_once];
  PlaceInBucket place[at_once];
#pragma unroll
  for (u32 k = 0; k < at_once; ++k) {
    const u64 i = first + k * threads + threadIdx.x;
    const bool is_there = i < n;
    const u64 key = is_there ? ready.finish(i, box[k]) & buckets.key_mask : invalid_morton_key;
    if (buckets.low != nullptr && is_there) buckets.low[i] = u32(key);
    word[k] = (key & buckets.prefix_mask) | i;
    const bool is_valid = key < invalid_morton_key;
    mark_invalid(buckets, i, is_there, is_valid);
    if (is_valid) guess = buckets.bucket_of(word[k], guess);
    bucket[k] = is_valid ? guess : invalid_id;
    place[k].take(buckets, bucket[k]);
  }
#pragma unroll
  for (u32 k = 0; k < at_once; ++k) {
    const u32 in_bucket = place[k].get();
    if (bucket[k] != invalid_id) store_word(buckets, bucket[k], in_bucket, word[k]);
  }
}

/// Stores where lists begin, from their counts. All threads of a block call it.
__device__ inline void store_begins(const KeyBuckets& buckets) {
  constexpr u32 threads = DistributeShape::threads, at_once = 8;
  __shared__ BlockStorage<u32, threads> sums;
  const u32 list_count = buckets.shape.list_count();
  u32 before = 0;
  for (u32 tile = 0; tile < list_count; tile += threads * at_once) {
    const u32 first = tile + threadIdx.x * at_once;
    u32 count[at_once], mine = 0;
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) {
      count[k] = first + k < list_count ? load_relaxed(buckets.counts + first + k) : 0;
      mine += count[k];
    }
    const BlockSum sum = block_exclusive_sum<threads>(mine, sums);
    u32 begin = before + sum.before;
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) {
      if (first + k < list_count) buckets.begins[first + k] = begin;
      begin += count[k];
    }
    before += sum.total;
    __syncthreads();
  }
}

/// Decides whether the full sort must run, in the last block that is done.
__device__ inline void close_buckets(const KeyBuckets& buckets, const MortonOrderOutput& order) {
  __shared__ bool is_last;
  __syncthreads();
  if (threadIdx.x == 0) is_last = fetch_add_acq_rel(&buckets.state->blocks_done, 1u) + 1 == gridDim.x;
  __syncthreads();
  if (!is_last) return;
  const bool is_lost = buckets.order_is_lost();
  if (threadIdx.x == 0) *buckets.needs_full_sort = is_lost ? 1 : 0;
  if (is_lost) return;
  store_begins(buckets);
  if (threadIdx.x == 0) order.store_valid_count(buckets.valid_count());
}

/// Each block takes neighbouring tiles, so that the last bucket is a good guess.
template <class KeyOf>
__global__ static void __launch_bounds__(DistributeShape::threads, DistributeShape::blocks)
    distribute_keys_kernel(const KeyOf key_of, const KeyBuckets buckets, const MortonOrderOutput order) {
  overlap_launches();
  if (!buckets.order_is_lost()) {
    const auto ready = key_of.ready();
    const u64 tiles = divide_rounding_up(buckets.shape.n, DistributeShape::tile);
    const u64 begin = blockIdx.x * tiles / gridDim.x, end = (blockIdx.x + u64{1}) * tiles / gridDim.x;
    u32 guess = 0;
    for (u64 tile = begin; tile < end; ++tile) {
      distribute_tile_of_keys(ready, buckets, tile * DistributeShape::tile, guess);
    }
  }
  close_buckets(buckets, order);
}

template <class KeyOf>
void launch_distribution_of_keys(const Executor& ex, const KeyOf& key_of, const KeyBuckets& buckets,
                                 const MortonOrderOutput& order) {
  const u64 tiles = divide_rounding_up(buckets.shape.n, DistributeShape::tile);
  launch(ex, "last order: keys", distribute_keys_kernel<KeyOf>,
         {.blocks = smaller(tiles, u64{DistributeShape::blocks} * ex.multiprocessor_count),
          .threads = DistributeShape::threads,
          .overlaps_earlier_launch = true},
         key_of, buckets, order);
}

}  // namespace detail

/// Contract: builders/bvh/morton/last_order.cuh.
template <class Boxes>
void distribute_keys(const Executor& ex, const copse::detail::MortonKeyOf<Boxes>& key_of,
                     const copse::detail::KeyBuckets& buckets, const copse::detail::MortonOrderOutput& order) {
  if constexpr (std::is_same_v<Boxes, TriangleBoxes>) {
    using GatheredBoxes = copse::detail::GatheredBoxes<copse::detail::TripleLoad::singly>;
    if (GatheredBoxes::takes(key_of.boxes)) {
      const copse::detail::MortonKeyOf<GatheredBoxes> gathered{GatheredBoxes::of(key_of.boxes), key_of.bounds,
                                                               key_of.precomputed};
      return detail::launch_distribution_of_keys(ex, gathered, buckets, order);
    }
  }
  detail::launch_distribution_of_keys(ex, key_of, buckets, order);
}

/// Contract: builders/bvh/morton/last_order.cuh.
inline void sort_buckets(const Executor& ex, const copse::detail::KeyBuckets& buckets,
                         const copse::detail::MortonOrderOutput& order) {
  launch(ex, "last order: sort buckets", detail::sort_buckets_kernel,
         {.blocks = buckets.shape.list_count(),
          .threads = detail::BucketMemory::threads,
          .shared_bytes = sizeof(detail::BucketMemory),
          .overlaps_earlier_launch = true},
         buckets, order);
}

}  // namespace copse::cuda
