#pragma once

// A radix sort of all primitives by whole keys, by the blocks of a launch that is already running: least
// significant digit first, with three grid barriers per digit. It moves only numbers and looks their keys up.

#include "builders/bvh/morton/tie_tile.cuh"
#include "primitives/cuda/block.cuh"

namespace copse::cuda::detail {

inline constexpr u32 resort_threads = 512;
inline constexpr u32 resort_digit_bits = 8;
inline constexpr u32 resort_digits = 1u << resort_digit_bits;
inline constexpr u32 resort_passes = 8 * sizeof(u64) / resort_digit_bits;
inline constexpr u32 resort_warps = resort_threads / warp_size;

struct ResortStorage {
  u32 place[resort_digits];  // where the block's next primitive of a digit goes
  u16 warp_count[resort_warps][resort_digits];
  BlockStorage<u32, resort_threads> sums;
};

/// One pass: the array that numbers come from, null for the first pass, and the array that they go to.
struct ResortPass {
  const KeyWords& keys;
  const u32* from;
  u32* to;
  u32 shift;

  __device__ u32 id(u64 i) const { return from == nullptr ? u32(i) : from[i]; }
  __device__ u32 digit(u32 id) const { return u32(keys.key(id) >> shift) & (resort_digits - 1); }
};

/// The part of the array that a block moves.
struct ResortShare {
  u64 begin, end;

  __device__ ResortShare(u64 n, const GridBarrier& grid) {
    const u64 each = divide_rounding_up(n, grid.size());
    begin = smaller(each * grid.rank(), n);
    end = smaller(begin + each, n);
  }
};

/// Counts the digits in the share of the block.
__device__ inline void count_digits_of_share(const ResortPass& pass, const ResortShare& share, u32* digit_counts,
                                             ResortStorage& shared, const GridBarrier& grid) {
  for (u32 d = threadIdx.x; d < resort_digits; d += resort_threads) shared.place[d] = 0;
  __syncthreads();
  for (u64 i = share.begin + threadIdx.x; i < share.end; i += resort_threads) {
    atomicAdd(&shared.place[pass.digit(pass.id(i))], 1u);
  }
  __syncthreads();
  for (u32 d = threadIdx.x; d < resort_digits; d += resort_threads) {
    digit_counts[d * grid.size() + grid.rank()] = shared.place[d];
  }
}

/// Turns the counts of each digit into their sums over the blocks before. Blocks take turns, a digit each.
__device__ inline void sum_digits_over_blocks(const RunList& runs, ResortStorage& shared,
                                              const GridBarrier& grid) {
  for (u32 d = grid.rank(); d < resort_digits; d += grid.size()) {
    u32 before = 0;
    for (u32 first = 0; first < grid.size(); first += resort_threads) {
      const u32 block = first + threadIdx.x;
      u32* const count = runs.digit_counts + d * grid.size() + block;
      const BlockSum sum =
          block_exclusive_sum<resort_threads>(block < grid.size() ? load_relaxed(count) : 0, shared.sums);
      if (block < grid.size()) *count = before + sum.before;
      before += sum.total;
      __syncthreads();
    }
    if (threadIdx.x == 0) runs.digit_totals[d] = before;
  }
}

/// Finds where the first primitive of each digit in the block's share goes.
__device__ inline void place_digits(const RunList& runs, ResortStorage& shared, const GridBarrier& grid) {
  const u32 d = threadIdx.x;
  const u32 total = d < resort_digits ? load_relaxed(runs.digit_totals + d) : 0;
  const BlockSum sum = block_exclusive_sum<resort_threads>(total, shared.sums);
  if (d < resort_digits)
    shared.place[d] = sum.before + load_relaxed(runs.digit_counts + d * grid.size() + grid.rank());
  __syncthreads();
}

/// Moves the share of the block, one primitive per thread at a time. Equal digits keep their order.
__device__ inline void move_share(const ResortPass& pass, const ResortShare& share, ResortStorage& shared) {
  const u32 warp = threadIdx.x / warp_size;
  for (u64 first = share.begin; first < share.end; first += resort_threads) {
    for (u32 d = lane_id(); d < resort_digits; d += warp_size) shared.warp_count[warp][d] = 0;
    __syncwarp();
    const u64 i = first + threadIdx.x;
    const bool is_there = i < share.end;
    const u32 id = is_there ? pass.id(i) : 0;
    const u32 digit = is_there ? pass.digit(id) : resort_digits;
    const u32 peers = __match_any_sync(all_lanes, digit);
    const u32 rank = u32(__popc(peers & lower_lanes()));
    if (is_there && rank == 0) shared.warp_count[warp][digit] = u16(__popc(peers));
    __syncthreads();
    u32 before = 0;
    if (is_there) {
      for (u32 w = 0; w < warp; ++w) before += shared.warp_count[w][digit];
      pass.to[shared.place[digit] + before + rank] = id;
    }
    __syncthreads();
    if (threadIdx.x < resort_digits) {
      u32 count = 0;
      for (u32 w = 0; w < resort_warps; ++w) count += shared.warp_count[w][threadIdx.x];
      shared.place[threadIdx.x] += count;
    }
    __syncthreads();
  }
}

/// Stores the order of all primitives by whole keys, and the deltas. All blocks of the launch call it.
__device__ inline void resort(const KeyWords& keys, const RunList& runs, const MortonOrderOutput& order,
                              ResortStorage& shared, GridBarrier& barrier) {
  static_assert(resort_passes % 2 == 0, "the last pass ends in the order");
  const ResortShare share(keys.n, barrier);
  for (u32 k = 0; k < resort_passes; ++k) {
    u32* const arrays[2] = {runs.ids, order.bvh.primitive_ids};
    const ResortPass pass{keys, k == 0 ? nullptr : arrays[(k + 1) % 2], arrays[k % 2], k * resort_digit_bits};
    count_digits_of_share(pass, share, runs.digit_counts, shared, barrier);
    barrier.arrive_and_wait();
    sum_digits_over_blocks(runs, shared, barrier);
    barrier.arrive_and_wait();
    place_digits(runs, shared, barrier);
    move_share(pass, share, shared);
    barrier.arrive_and_wait();
  }
  const u32* const ids = order.bvh.primitive_ids;
  const u64 valid_count = order.valid_count();
  for (u64 i = share.begin + threadIdx.x; i < share.end && i + 1 < valid_count; i += resort_threads) {
    const u64 key = keys.key(ids[i]), next_key = keys.key(ids[i + 1]);
    order.deltas[i] = u8(common_prefix(key, next_key, u32(i)));
  }
}

}  // namespace copse::cuda::detail
