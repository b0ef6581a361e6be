#pragma once

// Scans and reductions inside a warp and inside a block. Your own kernels may use them too. All threads of the
// warp or block must take part.

#include "primitives/core/bits.h"
#include "primitives/cuda/warp.cuh"
#include "primitives/inputs.h"

namespace copse::cuda {

/// Returns value of lane 0 op .. op value of this lane.
template <class T, class Op>
__device__ T warp_inclusive_scan(T value, Op op) {
#pragma unroll
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    const T below = shuffle_up(value, distance);
    if (lane_id() >= distance) value = op(below, value);
  }
  return value;
}

/// Combines the values of the lanes from left to right. Returns the same result to all lanes.
template <class T, class Op>
__device__ T warp_reduce(T value, Op op) {
#pragma unroll
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    const T above = shuffle_down(value, distance);
    if (lane_id() + distance < warp_size) value = op(value, above);
  }
  return shuffle_from(value, 0);
}

/// The number of lower lanes that vote yes, and the number of all lanes that do.
struct VoteCount {
  u32 before, total;
};
/// Counts the lanes that vote yes. One vote replaces five shuffles (Skjellum, Whittaker, Bangalore, "Ballot
/// Counting for Optimal Binary Prefix Sum", 2011; Harris, GTC 2010).
__device__ inline VoteCount warp_count(bool vote) {
  const u32 votes = __ballot_sync(all_lanes, vote);
  return {u32(__popc(votes & lower_lanes())), u32(__popc(votes))};
}

/// Shared memory for the scans of a block: one value per warp.
template <class T, u32 threads>
class BlockStorage {
 public:
  static constexpr u32 warp_count = threads / warp_size;
  static_assert(threads % warp_size == 0 && threads <= warp_size * warp_size);

  __device__ T& operator[](u32 warp) { return reinterpret_cast<T*>(memory_)[warp]; }

 private:
  alignas(16) unsigned char memory_[sizeof(T) * warp_count];
};

/// The results of a scan over a block, for one thread.
template <class T>
struct BlockScan {
  T inclusive;
  T total;         // of the block
  T warps_before;  // of all warps before this one, if there are any
};

/// Scans one value per thread. It ends after the last use of the storage, but without a barrier. The storage may
/// be used again after the next __syncthreads.
template <u32 threads, class T, class Op>
__device__ BlockScan<T> block_inclusive_scan(const T& value, Op op, BlockStorage<T, threads>& storage) {
  const u32 warp = threadIdx.x / warp_size;
  T inclusive = warp_inclusive_scan(value, op);
  if (lane_id() == warp_size - 1) storage[warp] = inclusive;
  __syncthreads();
  T sum = storage[0], before = sum;
#pragma unroll
  for (u32 w = 1; w < storage.warp_count; ++w) {
    if (w == warp) before = sum;
    sum = op(sum, storage[w]);
  }
  if (warp > 0) inclusive = op(before, inclusive);
  return {inclusive, sum, before};
}

/// The sum of the numbers of all threads before this one, and the sum of the whole block.
struct BlockSum {
  u32 before, total;
};
/// Sums one number per thread, exclusively.
template <u32 threads>
__device__ BlockSum block_exclusive_sum(u32 value, BlockStorage<u32, threads>& storage) {
  const BlockScan<u32> scan = block_inclusive_scan<threads>(value, Plus{}, storage);
  return {scan.inclusive - value, scan.total};
}

/// Counts the threads of the block that vote yes: those before this one, and all.
template <u32 threads>
__device__ VoteCount block_count(bool vote, BlockStorage<u32, threads>& storage) {
  const u32 warp = threadIdx.x / warp_size;
  const VoteCount mine = warp_count(vote);
  if (lane_id() == 0) storage[warp] = mine.total;
  __syncthreads();
  u32 before = 0, total = 0;
#pragma unroll
  for (u32 w = 0; w < storage.warp_count; ++w) {
    if (w == warp) before = total;
    total += storage[w];
  }
  return {before + mine.before, total};
}

}  // namespace copse::cuda
