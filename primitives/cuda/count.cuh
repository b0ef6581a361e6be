#pragma once

// Counts and tests elements. Each thread counts by itself, with eight loads in flight; blocks add their counts to a
// tally, and the block that ends last stores the result. Harris ("Data-Parallel Primitives", GTC 2010, binary
// reduction) counts the votes of whole warps: one ballot per 32 elements, which takes three instructions per row
// where an addition takes one. bench: copse-bench-primitives, count/.

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 vote_threads = 256;
inline constexpr u32 vote_rows = 8;  // elements of a thread that are in flight at once
inline constexpr u64 vote_tile = u64{vote_threads} * vote_rows;
inline constexpr u32 vote_blocks = 4;  // at once, per multiprocessor

/// What the blocks of a launch have found together. It is zero before and after the launch.
struct VoteTally {
  unsigned long long count;
  u32 finished;
};

/// Returns true for one thread of the whole launch, after all blocks have added to the tally.
__device__ inline bool ends_launch(VoteTally* tally) {
  return threadIdx.x == 0 && fetch_add_acq_rel(&tally->finished, 1u) == gridDim.x - 1;
}

/// Asks about the elements of this thread in the tile from `first` on. add(answer) takes each answer. A predicate
/// that has inside(i) answers by it for all elements but the first and the last, without a look at these borders.
template <class Predicate, class Add>
__device__ void ask_tile(const Predicate& predicate, u64 first, u64 n, const Add& add) {
  decltype(predicate(first)) answers[vote_rows] = {};
  if (first > 0 && first + vote_tile < n) {
#pragma unroll
    for (u32 r = 0; r < vote_rows; ++r) {
      const u64 i = first + r * vote_threads + threadIdx.x;
      if constexpr (requires { predicate.inside(i); }) {
        answers[r] = predicate.inside(i);
      } else {
        answers[r] = predicate(i);
      }
    }
#pragma unroll
    for (u32 r = 0; r < vote_rows; ++r) add(answers[r]);
  } else {
    for (u64 i = first + threadIdx.x; i < smaller(first + vote_tile, n); i += vote_threads) add(predicate(i));
  }
}

template <class Predicate>
__global__ void __launch_bounds__(vote_threads, vote_blocks)
    count_kernel(u64 n, const Predicate predicate, VoteTally* tally, u64* out) {
  __shared__ unsigned long long of_block;
  overlap_launches();
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  u64 count = 0;
  for (u64 first = blockIdx.x * vote_tile; first < n; first += gridDim.x * vote_tile) {
    u32 of_tile = 0;
    ask_tile(predicate, first, n, [&](u32 answer) { of_tile += answer; });
    count += of_tile;
  }
  count = warp_reduce(count, Plus{});
  if (lane_id() == 0) atomicAdd(&of_block, static_cast<unsigned long long>(count));
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&tally->count, of_block);
  if (!ends_launch(tally)) return;
  *out = load_relaxed(reinterpret_cast<const u64*>(&tally->count));
  *tally = {0, 0};
}

/// Stores 1 or 0 in *out. If `wanted` is true, 1 means that predicate(i) is true for any i. If `wanted` is false,
/// 1 means that it is true for all i.
template <bool wanted, class Predicate>
__global__ void __launch_bounds__(vote_threads, vote_blocks)
    find_kernel(u64 n, const Predicate predicate, VoteTally* tally, u32* out) {
  auto* found = reinterpret_cast<u64*>(&tally->count);
  overlap_launches();
  for (u64 first = blockIdx.x * vote_tile; first < n; first += gridDim.x * vote_tile) {
    bool vote = load_relaxed(found) != 0;
    ask_tile(predicate, first, n, [&](bool answer) { vote = vote || answer == wanted; });
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

template <class Kernel, class Predicate, class T>
void vote(const Executor& ex, const char* label, Kernel kernel, u64 n, const Predicate& predicate, T* out) {
  ZeroedMemory::Scope zeroed(ex.zeroed);
  const u64 tile_count = larger(divide_rounding_up(n, vote_tile), u64{1});
  launch(ex, label, kernel,
         {.blocks = smaller(tile_count, u64{vote_blocks} * ex.multiprocessor_count),
          .threads = vote_threads,
          .overlaps_earlier_launch = true},
         n, predicate, static_cast<VoteTally*>(zeroed.data()), out);
  zeroed.leaves_zero();
}

}  // namespace detail

/// Contract: primitives/count.h.
template <class Predicate>
void count_if(const Executor& ex, const char* label, u64 n, Predicate predicate, u64* out) {
  detail::vote(ex, label, detail::count_kernel<Predicate>, n, predicate, out);
}

/// Contract: primitives/count.h.
template <class Predicate>
void any_of(const Executor& ex, const char* label, u64 n, Predicate predicate, u32* out) {
  detail::vote(ex, label, detail::find_kernel<true, Predicate>, n, predicate, out);
}

/// Contract: primitives/count.h.
template <class Predicate>
void all_of(const Executor& ex, const char* label, u64 n, Predicate predicate, u32* out) {
  detail::vote(ex, label, detail::find_kernel<false, Predicate>, n, predicate, out);
}

}  // namespace copse::cuda
