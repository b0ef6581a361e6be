#pragma once

// Counts and tests elements. Each thread counts by itself, with 8 or 16 loads in flight; blocks add their counts
// to a tally, and the block that ends last stores the result. Harris ("Data-Parallel Primitives", GTC 2010, binary
// reduction) counts the votes of whole warps: one ballot per 32 elements, which takes three instructions per row
// where an addition takes one. bench: copse-bench-primitives, count/.

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 vote_threads = 256;
inline constexpr u32 vote_blocks = 4;  // at once, per multiprocessor

/// Elements of a thread that are in flight at once. Many keep the memory busy, but few spread a small input over
/// more blocks.
inline constexpr u32 few_vote_rows = 8, many_vote_rows = 16;

template <u32 rows>
inline constexpr u64 vote_tile = u64{vote_threads} * rows;

/// The results of the blocks of a launch. Zero before and after the launch.
struct VoteTally {
  u64 count;     // of count_kernel: the count, and from bit 48 on the number of blocks that have added to it
  u32 finished;  // of find_kernel: the number of blocks that have ended
};
inline constexpr u32 finished_shift = 48;

/// Returns true for one thread of the whole launch, after all blocks have added to the tally.
__device__ inline bool ends_launch(VoteTally* tally) {
  return threadIdx.x == 0 && fetch_add_acq_rel(&tally->finished, 1u) == gridDim.x - 1;
}

/// Asks about the elements of this thread in the tile from `first` on, as far as they are among the `count`
/// elements from `begin` on. If is_whole, all of them are, and all loads are issued before the first use.
template <u32 rows, bool is_whole, class Ask, class Add>
__device__ void ask_rows(u64 first, u64 begin, u64 count, const Ask& ask, const Add& add) {
  decltype(ask(first)) answers[rows];
  bool asks[rows];
#pragma unroll
  for (u32 r = 0; r < rows; ++r) {
    const u64 i = first + r * vote_threads + threadIdx.x;
    asks[r] = is_whole || i - begin < count;
    if (asks[r]) answers[r] = ask(i);
  }
#pragma unroll
  for (u32 r = 0; r < rows; ++r) {
    if (asks[r]) add(answers[r]);
  }
}

/// Asks about a tile; add(answer) takes each answer. A predicate that has inside(i) answers by it for all elements
/// but the first and the last, without a look at these borders.
template <u32 rows, class Predicate, class Add>
__device__ void ask_tile(const Predicate& predicate, u64 first, u64 n, const Add& add) {
  constexpr bool has_borders = requires {
    predicate.inside(first);
  };
  const u64 begin = has_borders ? 1 : 0;
  const u64 count = n - smaller(n, 2 * begin);
  const auto ask = [&](u64 i) {
    if constexpr (has_borders) {
      return predicate.inside(i);
    } else {
      return predicate(i);
    }
  };
  const bool is_whole = first - begin < count && first + vote_tile<rows> <= begin + count;
  if (is_whole) return ask_rows<rows, true>(first, begin, count, ask, add);
  ask_rows<rows, false>(first, begin, count, ask, add);
  if constexpr (has_borders) {
    const u64 last = n - 1;
    if (first == 0 && threadIdx.x == 0) add(predicate(0));
    const bool has_last = last > 0 && last >= first && last - first < vote_tile<rows>;
    if (has_last && (last - first) % vote_threads == threadIdx.x) add(predicate(last));
  }
}

template <u32 rows, class Predicate>
__global__ void __launch_bounds__(vote_threads, vote_blocks)
    count_kernel(u64 n, const Predicate predicate, VoteTally* tally, u64* out) {
  __shared__ unsigned long long of_block;
  overlap_launches();
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  u64 count = 0;
  for (u64 first = blockIdx.x * vote_tile<rows>; first < n; first += gridDim.x * vote_tile<rows>) {
    u32 of_tile = 0;
    ask_tile<rows>(predicate, first, n, [&](u32 answer) { of_tile += answer; });
    count += of_tile;
  }
  count = warp_reduce(count, Plus{});
  if (lane_id() == 0) atomicAdd(&of_block, static_cast<unsigned long long>(count));
  __syncthreads();
  if (threadIdx.x != 0) return;
  const u64 before = fetch_add_relaxed(&tally->count, u64{1} << finished_shift | of_block);
  if (before >> finished_shift != gridDim.x - 1) return;
  *out = (before & ((u64{1} << finished_shift) - 1)) + of_block;
  tally->count = 0;
}

/// Stores 1 or 0 in *out. If `wanted` is true, 1 means that predicate(i) is true for any i. If `wanted` is false,
/// 1 means that it is true for all i.
template <u32 rows, bool wanted, class Predicate>
__global__ void __launch_bounds__(vote_threads, vote_blocks)
    find_kernel(u64 n, const Predicate predicate, VoteTally* tally, u32* out) {
  u64* const found = &tally->count;
  overlap_launches();
  for (u64 first = blockIdx.x * vote_tile<rows>; first < n; first += gridDim.x * vote_tile<rows>) {
    bool vote = load_relaxed(found) != 0;
    ask_tile<rows>(predicate, first, n, [&](bool answer) { vote = vote || answer == wanted; });
    if (__any_sync(all_lanes, vote)) {
      if (lane_id() == 0) store_relaxed(found, u64{1});
      break;
    }
  }
  __syncthreads();
  if (!ends_launch(tally)) return;
  *out = (load_relaxed(found) != 0) == wanted;
  *tally = {0, 0};
}

template <u32 rows, class Kernel, class Predicate, class T>
void vote(const Executor& ex, const char* label, Kernel kernel, u64 n, const Predicate& predicate, T* out) {
  ZeroedMemory::Scope zeroed(ex.zeroed);
  const u64 tile_count = larger(divide_rounding_up(n, vote_tile<rows>), u64{1});
  launch(ex, label, kernel,
         {.blocks = smaller(tile_count, u64{vote_blocks} * ex.multiprocessor_count),
          .threads = vote_threads,
          .overlaps_earlier_launch = true},
         n, predicate, static_cast<VoteTally*>(zeroed.data()), out);
  zeroed.leaves_zero();
}

/// Whether the input has a tile of many rows for each block that the GPU holds.
inline bool is_large_vote(const Executor& ex, u64 n) {
  return n >= vote_tile<many_vote_rows> * vote_blocks * ex.multiprocessor_count;
}

template <bool wanted, class Predicate>
void find(const Executor& ex, const char* label, u64 n, const Predicate& predicate, u32* out) {
  if (is_large_vote(ex, n)) {
    return vote<many_vote_rows>(ex, label, find_kernel<many_vote_rows, wanted, Predicate>, n, predicate, out);
  }
  vote<few_vote_rows>(ex, label, find_kernel<few_vote_rows, wanted, Predicate>, n, predicate, out);
}

}  // namespace detail

/// Contract: primitives/count.h.
template <class Predicate>
void count_if(const Executor& ex, const char* label, u64 n, Predicate predicate, u64* out) {
  using namespace detail;
  if (is_large_vote(ex, n)) {
    return vote<many_vote_rows>(ex, label, count_kernel<many_vote_rows, Predicate>, n, predicate, out);
  }
  vote<few_vote_rows>(ex, label, count_kernel<few_vote_rows, Predicate>, n, predicate, out);
}

/// Contract: primitives/count.h.
template <class Predicate>
void any_of(const Executor& ex, const char* label, u64 n, Predicate predicate, u32* out) {
  detail::find<true>(ex, label, n, predicate, out);
}

/// Contract: primitives/count.h.
template <class Predicate>
void all_of(const Executor& ex, const char* label, u64 n, Predicate predicate, u32* out) {
  detail::find<false>(ex, label, n, predicate, out);
}

}  // namespace copse::cuda
