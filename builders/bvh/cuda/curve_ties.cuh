#pragma once

// Primitives sorted by the fronts of their keys: those whose front is theirs alone or shared by few are brought to
// their slots, with the gaps between them; long runs are listed. Most have a front of their own, so those that do
// not are listed too, and what is to do for them is done by full warps.

#include "builders/bvh/curve_keys.h"
#include "primitives/core/atomic.h"
#include "primitives/cuda/grid_barrier.cuh"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/no_value.h"
#include "primitives/sort_plan.h"

namespace copse::cuda::detail {

using copse::detail::CurveOrder;
using copse::detail::KeyWords;
using copse::detail::MergeShape;
using copse::detail::SortedFronts;

inline constexpr u32 most_short_run = 32;

/// Of the longer runs, those that warps put in order, each a part of it, and those that a block does.
inline constexpr u32 most_warp_run = 512;
inline constexpr u32 most_block_run = MergeShape<u64, NoValue>::tile;

/// What blocks tell each other; zero between launches.
struct RunState {
  GridCounters grid;
  u32 part_count;
  u32 block_run_count;
  u32 needs_resort;
};

/// Where the long runs begin, and memory for the sort over all.
struct RunList {
  u32* begins;  // those of the parts for warps from the front, those of the runs for blocks from the back
  u64 capacity;
  u32* digit_counts;  // [digit][block]
  u32* digit_totals;  // [digit]
  u32* ids;           // primitives half-way

  __device__ void add_part(u32 begin, RunState* state) const {
    begins[fetch_add_relaxed(&state->part_count, 1u)] = begin;
  }
  __device__ void add_block_run(u32 begin, RunState* state) const {
    begins[capacity - 1 - fetch_add_relaxed(&state->block_run_count, 1u)] = begin;
  }
  __device__ u32 part(u64 i) const { return begins[i]; }
  __device__ u32 block_run(u64 i) const { return begins[capacity - 1 - i]; }
};

/// What belongs to a thread's neighbouring slots, in one load or store.
template <class T>
struct alignas(4 * sizeof(T)) FourSlots {
  T of[4];
};

/// A tile of slots, with more than those of a short run on both sides: its window. Four slots a thread.
struct TieTile {
  static constexpr u32 at_once = 4;
  static constexpr u32 slots = 1024;
  static constexpr u32 margin = 2 * most_short_run;
  static constexpr u32 size = slots + 2 * margin;
  static constexpr u32 threads = size / at_once;
  static constexpr u32 blocks = 7;  // on a multiprocessor
  static_assert(threads % warp_size == 0 && most_short_run == warp_size);

  /// Slots whose runs are looked at: those of all runs that reach into the tile.
  static constexpr u32 first_ranked = margin - most_short_run, ranked_end = size - most_short_run;

  alignas(16) u32 id[size];  // as sorted
  alignas(16) u32 low[size];
  alignas(16) u32 placed_id[size];       // the same where they belong
  u32 placed_low[size];                  // of those that share their front
  u32 begins_run[size / warp_size + 1];  // a bit a slot; and behind the last
  u16 tied[size];                        // the slots that share their front, in any order
  u32 tied_count;

  __device__ static bool is_of_tile(u32 w) { return w >= margin && w < margin + slots; }

  /// The bits of the 32 slots from `w` on, the first one's lowest.
  __device__ u32 begins_from(u32 w) const {
    const u32 word = w / warp_size;
    return __funnelshift_r(begins_run[word], begins_run[word + 1], w % warp_size);
  }
};

/// A thread's slots of a window as they are loaded, with the words before and after them.
struct LoadedSlots {
  static constexpr u32 at_once = TieTile::at_once;
  static constexpr u64 no_key = ~u64{0};

  u64 front_mask;
  u64 word[at_once + 2];

  /// slot: the first one; before the first or past the last one of all at the ends
  __device__ LoadedSlots(const SortedFronts& sorted, i64 slot) : front_mask(sorted.front_mask) {
    if (slot >= 0 && slot + at_once <= i64(sorted.n)) {
      const auto* const from = reinterpret_cast<const TwoWords*>(sorted.words + slot);
      const TwoWords low = from[0], high = from[1];
      word[1] = low.of[0];
      word[2] = low.of[1];
      word[3] = high.of[0];
      word[4] = high.of[1];
    } else {
#pragma unroll
      for (u32 k = 0; k < at_once; ++k) word[k + 1] = word_at(sorted, slot + k);
    }
    word[0] = shuffle_up(word[at_once], 1);
    word[at_once + 1] = shuffle_down(word[1], 1);
    if (lane_id() == 0) word[0] = threadIdx.x == 0 ? no_key : word_at(sorted, slot - 1);
    if (lane_id() == warp_size - 1) {
      word[at_once + 1] = threadIdx.x == TieTile::threads - 1 ? no_key : word_at(sorted, slot + at_once);
    }
  }

  __device__ bool is_key(u32 k) const {
    return word[k + 1] < invalid_morton_key;
  }
  __device__ u32 id(u32 k) const {
    return u32(word[k + 1] & ~front_mask);
  }

  /// A bit for each, and for the one behind them: where a run begins, or no key is.
  __device__ u32 begins() const {
    u32 begins = 0;
#pragma unroll
    for (u32 k = 0; k <= at_once; ++k) {
      const bool begins_here = !is_key(k) || ((word[k + 1] ^ word[k]) & front_mask) != 0;
      begins |= u32(begins_here) << k;
    }
    return begins;
  }

  /// A bit for each key.
  __device__ u32 keys() const {
    u32 keys = 0;
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) keys |= u32(is_key(k)) << k;
    return keys;
  }

  /// A byte for each: how close it and the next one are, by their fronts.
  __device__ u32 gaps() const {
    u32 gaps = 0;
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) gaps |= leading_zeros((word[k + 1] ^ word[k + 2]) & front_mask) << 8 * k;
    return gaps;
  }

 private:
  struct alignas(16) TwoWords {
    u64 of[2];
  };

  __device__ static u64 word_at(const SortedFronts& sorted, i64 slot) {
    return slot >= 0 && slot < i64(sorted.n) ? sorted.words[slot] : no_key;
  }
};

/// Numbers what the lanes of a warp have, `mine` at most 7 of each, in their order.
struct WarpNumbers {
  u32 before = 0, total = 0;

  __device__ explicit WarpNumbers(u32 mine) {
#pragma unroll
    for (u32 bit = 0; bit < 3; ++bit) {
      const u32 have = __ballot_sync(all_lanes, (mine >> bit & 1) != 0);
      before += u32(__popc(have & lower_lanes())) << bit;
      total += u32(__popc(have)) << bit;
    }
  }
};

/// What a thread keeps of its slots.
struct EnteredSlots {
  static constexpr u32 at_once = TieTile::at_once;

  u32 w;  // the first one's place in the window
  u32 begins;
  u32 gaps;

  /// Stores what the tile is to know of the thread's slots, lists those that share their front, and stores the
  /// count of keys where they end.
  __device__ EnteredSlots(TieTile& tile, const KeyWords& keys, const LoadedSlots& loaded, i64 slot,
                          const CurveOrder& order)
      : w(threadIdx.x * at_once), begins(loaded.begins()), gaps(loaded.gaps()) {
    const u32 key_bits = loaded.keys(), tied = ~(begins & begins >> 1) & key_bits;
    FourSlots<u32> ids, lows;
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) {
      ids.of[k] = loaded.id(k);
      lows.of[k] = (tied >> k & 1) != 0 ? keys.low[ids.of[k]] : 0;
    }
    *reinterpret_cast<FourSlots<u32>*>(tile.id + w) = *reinterpret_cast<FourSlots<u32>*>(tile.placed_id + w) = ids;
    enter_begins(tile);
    list(tile, w >= TieTile::first_ranked && w < TieTile::ranked_end ? tied : 0);
    *reinterpret_cast<FourSlots<u32>*>(tile.low + w) = lows;
    if (TieTile::is_of_tile(w)) store_valid_count(key_bits, loaded.is_key(at_once), slot, order);
  }

  __device__ bool is_tied_with_next(u32 k) const {
    return (begins >> (k + 1) & 1) == 0;
  }

 private:
  __device__ void enter_begins(TieTile& tile) const {
    u32 bits = (begins & ((1u << at_once) - 1)) << w % warp_size;
#pragma unroll
    for (u32 step = 1; step < warp_size / at_once; step *= 2) bits |= __shfl_xor_sync(all_lanes, bits, int(step));
    if (w % warp_size == 0) tile.begins_run[w / warp_size] = bits;
  }

  __device__ void list(TieTile& tile, u32 tied) const {
    const WarpNumbers numbers(u32(__popc(tied)));
    u32 place = 0;
    if (lane_id() == 0 && numbers.total > 0) place = atomicAdd(&tile.tied_count, numbers.total);
    place = shuffle_from(place, 0) + numbers.before;
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) {
      if ((tied >> k & 1) != 0) tile.tied[place++] = u16(w + k);
    }
  }

  /// Keys are before all that is none.
  __device__ static void store_valid_count(u32 key_bits, bool is_next_key, i64 slot, const CurveOrder& order) {
    const u32 count = u32(__popc(key_bits));
    if (count > 0 && (count < at_once || !is_next_key)) order.store_valid_count(u32(slot) + count);
    if (count == 0 && slot == 0) order.store_valid_count(0);
  }
};

/// A slot's place in its run: how many come before and after it, by fronts alone; at most `most_short_run`.
struct PlaceInRun {
  u32 left, right;

  __device__ PlaceInRun(const TieTile& tile, u32 w) {
    left = leading_zeros(tile.begins_from(w - (warp_size - 1)));
    const u32 begins_after = tile.begins_from(w + 1);
    right = begins_after == 0 ? most_short_run : u32(__ffs(int(begins_after))) - 1;
  }
  __device__ u32 run_size() const { return left + 1 + right; }
};

/// Puts the primitive of a slot where it belongs in its short run, by counting which come before it.
__device__ inline void place_in_run(TieTile& tile, u32 w, const PlaceInRun& place) {
  const u32 own = tile.low[w], begin = w - place.left, end = w + place.right + 1;
  u32 rank = 0;
#pragma unroll 4
  for (u32 other = begin; other < end; ++other) {
    const u64 word = u64{tile.low[other]} << 32 | other;
    rank += word < (u64{own} << 32 | w) ? 1 : 0;
  }
  tile.placed_id[begin + rank] = tile.id[w];
  tile.placed_low[begin + rank] = own;
}

/// The gap between keys with different fronts.
__device__ inline u8 gap_between_fronts(u64 front, u64 next_front) {
  return u8(leading_zeros(front ^ next_front));
}

/// Lists the long run that a slot is in by what is to put it in order: for warps its parts, which begin where it
/// does and at every 32nd slot of all; for a block the whole run.
__device__ inline void list_run(const SortedFronts& sorted, u64 slot, bool begins_run, const RunList& runs,
                                RunState* state) {
  if (!begins_run && slot % warp_size != 0) return;
  runs.add_part(u32(slot), state);
  if (!begins_run) return;
  const auto reaches = [&](u64 size) {
    return slot + size < sorted.n && sorted.front(slot + size) == sorted.front(slot);
  };
  if (reaches(most_block_run)) {
    store_relaxed(&state->needs_resort, 1u);
  } else if (reaches(most_warp_run)) {
    runs.add_block_run(u32(slot), state);
  }
}

/// Puts those that share their front where they belong in short runs, and lists the long ones, whose slots keep
/// what they have so far.
__device__ inline void place_ties(TieTile& tile, i64 first, const SortedFronts& sorted, const RunList& runs,
                                  RunState* state) {
  for (u32 i = threadIdx.x; i < tile.tied_count; i += TieTile::threads) {
    const u32 w = tile.tied[i];
    const PlaceInRun place(tile, w);
    if (place.run_size() <= most_short_run) {
      place_in_run(tile, w, place);
      continue;
    }
    tile.placed_low[w] = tile.low[w];
    if (TieTile::is_of_tile(w)) list_run(sorted, u64(first + w), place.left == 0, runs, state);
  }
}

/// Stores the order of the thread's slots, and the gaps behind them: anything where long runs are, which are not
/// put in order yet, and where the keys end.
__device__ inline void store_slots(const TieTile& tile, const EnteredSlots& mine, u64 slot, u64 n,
                                   const CurveOrder& order) {
  constexpr u32 at_once = TieTile::at_once;
  const FourSlots<u32> ids = *reinterpret_cast<const FourSlots<u32>*>(tile.placed_id + mine.w);
  FourSlots<u8> gaps;
#pragma unroll
  for (u32 k = 0; k < at_once; ++k) {
    const u32* const low = tile.placed_low + mine.w + k;
    gaps.of[k] = mine.is_tied_with_next(k) ? u8(common_prefix(u64{low[0]}, u64{low[1]}, u32(slot) + k))
                                           : u8(mine.gaps >> 8 * k);
  }
  if (slot + at_once <= n) {
    *reinterpret_cast<FourSlots<u32>*>(order.bvh.primitive_ids + slot) = ids;
    *reinterpret_cast<FourSlots<u8>*>(order.gaps + slot) = gaps;
    return;
  }
#pragma unroll
  for (u32 k = 0; k < at_once; ++k) {
    if (slot + k >= n) break;
    order.store_id(slot + k, ids.of[k]);
    order.gaps[slot + k] = gaps.of[k];
  }
}

__global__ static void __launch_bounds__(TieTile::threads, TieTile::blocks)
    order_short_runs_kernel(const KeyWords keys, const SortedFronts sorted, const RunList runs, RunState* state,
                            const CurveOrder order) {
  __shared__ TieTile tile;
  if (threadIdx.x == 0) {
    tile.tied_count = 0;
    tile.begins_run[TieTile::size / warp_size] = all_lanes;
  }
  __syncthreads();
  overlap_launches();
  const i64 first = i64(u64(blockIdx.x) * TieTile::slots) - TieTile::margin;
  const i64 slot = first + threadIdx.x * TieTile::at_once;
  const EnteredSlots mine(tile, keys, LoadedSlots(sorted, slot), slot, order);
  __syncthreads();
  place_ties(tile, first, sorted, runs, state);
  __syncthreads();
  if (TieTile::is_of_tile(mine.w) && slot < i64(sorted.n)) store_slots(tile, mine, u64(slot), sorted.n, order);
}

inline void order_short_runs(const Executor& ex, const KeyWords& keys, const SortedFronts& sorted,
                             const RunList& runs, RunState* state, const CurveOrder& order) {
  launch(ex, "Morton order: short runs", order_short_runs_kernel,
         {.blocks = divide_rounding_up(keys.n, TieTile::slots),
          .threads = TieTile::threads,
          .overlaps_earlier_launch = true},
         keys, sorted, runs, state, order);
}

}  // namespace copse::cuda::detail
