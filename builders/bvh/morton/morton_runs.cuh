#pragma once

// Puts long runs of primitives that share the prefix of their keys in order, each by a warp in its registers or by
// a block in shared memory. One launch, which ends at once if there is no such run.

#include "builders/bvh/morton/morton_resort.cuh"
#include "builders/bvh/morton/tie_tile.cuh"
#include "primitives/cuda/merge_tile.cuh"

namespace copse::cuda::detail {

/// Words sorted in the registers of a warp by a bitonic network (Batcher, "Sorting Networks and Their
/// Applications", AFIPS Spring Joint Computer Conference, 1968). A lane holds neighbouring words, so most
/// exchanges stay within a lane, and none goes through memory.
///
/// The words of the lanes of a warp: those of lane 0 first, then those of lane 1, and so on.
///   lane_words: words per lane, a power of two
template <u32 lane_words>
struct WarpWords {
  u64 word[lane_words];

  /// Sorts the words. All lanes of a warp call it. Groups of 1, 2, 4 and more lanes are sorted, every second group
  /// downwards: the bits of its words are inverted meanwhile.
  __device__ void sort() {
    turn((lane_id() & 1) != 0);
    sort_own();
    turn((lane_id() & 1) != 0);
#pragma unroll 1
    for (u32 lanes = 2; lanes <= warp_size; lanes *= 2) {
      const bool downwards = (lane_id() & lanes) != 0;
      turn(downwards);
      merge(lanes);
      turn(downwards);
    }
  }

 private:
  __device__ void turn(bool is_turned) {
    const u64 turned = is_turned ? ~u64{0} : 0;
#pragma unroll
    for (u32 k = 0; k < lane_words; ++k) word[k] ^= turned;
  }

  __device__ static void put_in_order(u64& first, u64& second) {
    const bool are_in_order = !(second < first);
    const u64 smallest = are_in_order ? first : second;
    second = are_in_order ? second : first;
    first = smallest;
  }

  __device__ void sort_own() {
#pragma unroll
    for (u32 size = 2; size <= lane_words; size *= 2) {
#pragma unroll
      for (u32 distance = size / 2; distance > 0; distance /= 2) {
#pragma unroll
        for (u32 k = 0; k < lane_words; ++k) {
          if ((k & distance) != 0) continue;
          const bool upwards = (k & size) == 0;
          put_in_order(word[upwards ? k : k + distance], word[upwards ? k + distance : k]);
        }
      }
    }
  }

  /// Merges groups of lanes: the first half of a group has sorted words, the second half words sorted downwards.
  __device__ void merge(u32 lanes) {
#pragma unroll 1
    for (u32 distance = lanes / 2; distance > 0; distance /= 2) {
      const bool takes_largest = (lane_id() & distance) != 0;
#pragma unroll
      for (u32 k = 0; k < lane_words; ++k) {
        const u64 other = __shfl_xor_sync(all_lanes, word[k], int(distance));
        word[k] = (other < word[k]) != takes_largest ? other : word[k];
      }
    }
#pragma unroll
    for (u32 distance = lane_words / 2; distance > 0; distance /= 2) {
#pragma unroll
      for (u32 k = 0; k < lane_words; ++k) {
        if ((k & distance) == 0) put_in_order(word[k], word[k + distance]);
      }
    }
  }
};

inline constexpr u32 run_threads = MergeShape<u64, NoValue>::threads;
inline constexpr u32 run_warps = run_threads / warp_size;
static_assert(run_threads == resort_threads, "one launch does both");

/// One place of a run: its primitive, the low word of that primitive, and the low word of the next place.
struct PlaceOfRun {
  u32 k;
  u32 primitive;
  u32 low, next_low;
};

struct LongRun {
  const KeyWords& keys;
  const SortedPrefixes& sorted;
  u64 begin;

  __device__ bool reaches(u32 k) const {
    return begin + k < sorted.n && sorted.prefix(begin + k) == sorted.prefix(begin);
  }

  /// Returns the size of the run, at most max_block_run. All lanes of a warp call it. Prefixes are sorted, so each
  /// round of loads reduces the range in which the run ends to a 32nd.
  __device__ u32 size() const {
    u32 there = 1, end = max_block_run + 1;  // it has at least `there` and fewer than `end`
    while (end - there > 1) {
      const u32 step = u32(divide_rounding_up(end - there, warp_size)), k = there + lane_id() * step;
      const u32 steps = u32(__popc(__ballot_sync(all_lanes, k < end - 1 && reaches(k))));
      end = smaller(end, there + steps * step + 1);
      there = steps == 0 ? there : there + (steps - 1) * step + 1;
    }
    return there;
  }

  __device__ u32 id(u32 k) const { return sorted.id(begin + k); }
  __device__ u32 low(u32 k) const { return keys.low[id(k)]; }

  /// A word that sorts as it is.
  ///
  ///   63 .. 32 | 31 .. 0
  ///   low word | place in the run so far
  __device__ u64 word(u32 k) const { return u64{low(k)} << 32 | k; }

  /// Stores a place of the run, which has `size` places.
  __device__ void store(const PlaceOfRun& place, u32 size, const MortonOrderOutput& order) const {
    const u64 slot = begin + place.k, end = begin + size;
    order.store_id(slot, place.primitive);
    if (place.k + 1 < size) {
      order.deltas[slot] = u8(common_prefix(u64{place.low}, u64{place.next_low}, u32(slot)));
    } else if (end < sorted.n && sorted.is_key(end)) {
      order.deltas[slot] = delta_between_prefixes(sorted.prefix(begin), sorted.prefix(end));
    }
  }
};

/// Returns the size of a run for a warp, with two rounds of loads. All lanes call it.
__device__ inline u32 size_of_warp_run(const LongRun& run) {
  constexpr u32 step = max_warp_run / warp_size;
  const u32 steps = u32(__popc(__ballot_sync(all_lanes, run.reaches((lane_id() + 1) * step))));
  return steps * step +
         u32(__popc(__ballot_sync(all_lanes, lane_id() < step && run.reaches(steps * step + lane_id()))));
}

/// Orders a run by a warp, in its registers.
///   lane_words: a power of two; the run has at most 32 * lane_words places
template <u32 lane_words>
__device__ void order_run_by_warp(const LongRun& run, u32 size, const MortonOrderOutput& order) {
  WarpWords<lane_words> words;
#pragma unroll
  for (u32 j = 0; j < lane_words; ++j) {
    const u32 k = j * warp_size + lane_id();
    words.word[j] = k < size ? run.word(k) : ~u64{0};
  }
  words.sort();
  const u64 behind = shuffle_down(words.word[0], 1);
#pragma unroll
  for (u32 j = 0; j < lane_words; ++j) {
    const u32 k = lane_id() * lane_words + j;
    const u64 word = words.word[j], next = j + 1 < lane_words ? words.word[j + 1] : behind;
    if (k < size) run.store({k, run.id(u32(word)), u32(word >> 32), u32(next >> 32)}, size, order);
  }
}

__device__ inline void order_run_by_warp(const LongRun& run, const MortonOrderOutput& order) {
  static_assert(max_warp_run == 8 * warp_size);
  const u32 size = size_of_warp_run(run);
  if (size <= 2 * warp_size) return order_run_by_warp<2>(run, size, order);
  if (size <= 4 * warp_size) return order_run_by_warp<4>(run, size, order);
  order_run_by_warp<8>(run, size, order);
}

struct SmallerWord {
  __device__ bool operator()(u64 a, u64 b) const { return a < b; }
};

/// Orders a run by a whole block, whose tile has room for it.
__device__ inline void order_run_by_block(const LongRun& run, const SharedTile<u64, NoValue>& tile,
                                          const MortonOrderOutput& order) {
  const u32 size = run.size();
#pragma unroll 4
  for (u32 k = threadIdx.x; k < size; k += run_threads) tile.keys[k] = run.word(k);
  sort_shared_tile(tile, size, SmallerWord{});
  for (u32 k = threadIdx.x; k < size; k += run_threads) {
    const u64 word = tile.keys[k], next_word = tile.keys[smaller(k + 1, size - 1)];
    run.store({k, run.id(u32(word)), u32(word >> 32), u32(next_word >> 32)}, size, order);
  }
  __syncthreads();
}

inline constexpr u32 run_shared_bytes = larger(SharedTile<u64, NoValue>::bytes, u32(sizeof(ResortStorage)));
static_assert(run_shared_bytes <= shared_bytes_everywhere);

/// Orders all long runs but those that need the sort over all. Runs for blocks take longest. If they are few, the
/// other blocks share the runs for warps.
__device__ inline void order_runs(const KeyWords& keys, const SortedPrefixes& sorted, const RunList& runs,
                                  const RunState* state, unsigned char* run_memory,
                                  const MortonOrderOutput& order) {
  const u32 warp_run_count = state->warp_run_count, block_run_count = state->block_run_count;
  const auto tile = SharedTile<u64, NoValue>::at(run_memory);
  for (u32 i = blockIdx.x; i < block_run_count; i += gridDim.x) {
    order_run_by_block({keys, sorted, runs.block_run(i)}, tile, order);
  }
  const u32 busy_blocks = 2 * block_run_count < gridDim.x ? block_run_count : 0;
  if (blockIdx.x < busy_blocks) return;
  const u32 blocks = gridDim.x - busy_blocks, first = threadIdx.x / warp_size * blocks + blockIdx.x - busy_blocks;
  for (u32 i = first; i < warp_run_count; i += blocks * run_warps) {
    order_run_by_warp({keys, sorted, runs.warp_run(i)}, order);
  }
}

__global__ static void __launch_bounds__(run_threads, MergeShape<u64, NoValue>::blocks)
    order_long_runs_kernel(const KeyWords keys, const SortedPrefixes sorted, const RunList runs, RunState* state,
                           const MortonOrderOutput order) {
  extern __shared__ __align__(16) unsigned char run_memory[];
  overlap_launches();
  const bool needs_resort = state->needs_resort != 0;
  if (state->warp_run_count + state->block_run_count == 0 && !needs_resort) return;

  if (needs_resort) {
    GridBarrier barrier(&state->grid);
    if (barrier.takes_part()) {
      resort(keys, runs, order, *reinterpret_cast<ResortStorage*>(run_memory), barrier);
    }
  } else {
    order_runs(keys, sorted, runs, state, run_memory, order);
  }
  if (leave_grid(&state->grid)) state->warp_run_count = state->block_run_count = state->needs_resort = 0;
}

/// Returns how many blocks order long runs: as many as the GPU holds at once if its multiprocessors have the
/// memory. The driver is not asked at every build. On a GPU with less memory, some blocks start too late for the
/// grid barrier and end at once.
inline u64 run_blocks(const Executor& ex) {
  return u64{MergeShape<u64, NoValue>::blocks} * ex.multiprocessor_count;
}

inline void order_long_runs(const Executor& ex, u64 blocks, const KeyWords& keys, const SortedPrefixes& sorted,
                            const RunList& runs, RunState* state, const MortonOrderOutput& order) {
  launch(ex, "Morton order: long runs", order_long_runs_kernel,
         {.blocks = blocks,
          .threads = run_threads,
          .shared_bytes = available_shared_bytes(ex, run_shared_bytes),
          .overlaps_earlier_launch = true},
         keys, sorted, runs, state, order);
}

/// Maximum number of runs longer than a short run.
inline u64 run_list_capacity(u64 n) {
  return n / (max_short_run + 1) + 1;
}

inline RunList allocate_run_list(ScratchArena::Frame& frame, u64 n, u64 blocks) {
  const u64 capacity = run_list_capacity(n);
  return {frame.allocate<u32>(capacity), capacity, frame.allocate<u32>(resort_digits * blocks),
          frame.allocate<u32>(resort_digits), frame.allocate<u32>(n)};
}

inline u64 run_list_scratch_bytes(u64 n, u64 blocks) {
  return ScratchArena::bytes_for<u32>(run_list_capacity(n)) +
         ScratchArena::bytes_for<u32>(resort_digits * blocks) + ScratchArena::bytes_for<u32>(resort_digits) +
         ScratchArena::bytes_for<u32>(n);
}

}  // namespace copse::cuda::detail
