#pragma once

// A tile of primitives sorted by the prefixes of their keys, with some neighbours on both sides, in the shared
// memory of a block; and the lists of the runs that are longer than a short run.

#include "builders/bvh/morton/morton_keys.h"
#include "primitives/core/atomic.h"
#include "primitives/cuda/grid_barrier.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/inputs.h"
#include "primitives/sort_plan.h"

namespace copse::cuda::detail {

using copse::detail::KeyWords;
using copse::detail::MergeShape;
using copse::detail::MortonOrderOutput;
using copse::detail::SortedPrefixes;

inline constexpr u32 max_short_run = 32;

/// The longest runs that a warp, and that a block puts in order.
inline constexpr u32 max_warp_run = 256;
inline constexpr u32 max_block_run = MergeShape<u64, NoValue>::tile;

/// State that the blocks of a launch share; zero between launches.
struct RunState {
  GridCounters grid;
  u32 warp_run_count;
  u32 block_run_count;
  u32 needs_resort;
};

/// Where the long runs begin, and memory for the sort over all.
struct RunList {
  u32* begins;  // runs for warps from the front, runs for blocks from the back
  u64 capacity;
  u32* digit_counts;  // [digit][block]
  u32* digit_totals;  // [digit]
  u32* ids;           // primitives between two passes

  __device__ void add_warp_run(u32 begin, RunState* state) const {
    begins[fetch_add_relaxed(&state->warp_run_count, 1u)] = begin;
  }
  __device__ void add_block_run(u32 begin, RunState* state) const {
    begins[capacity - 1 - fetch_add_relaxed(&state->block_run_count, 1u)] = begin;
  }
  __device__ u32 warp_run(u64 i) const { return begins[i]; }
  __device__ u32 block_run(u64 i) const { return begins[capacity - 1 - i]; }
};

/// Values of four neighbouring slots, in one load or store.
template <class T>
struct alignas(4 * sizeof(T)) FourSlots {
  T of[4];
};

/// A window of slots: a tile, and on both sides more slots than a short run has. Four slots per thread.
struct TieTile {
  static constexpr u32 at_once = 4;
  static constexpr u32 slots = 1024;
  static constexpr u32 margin = 2 * max_short_run;
  static constexpr u32 size = slots + 2 * margin;
  static constexpr u32 threads = size / at_once;
  static constexpr u32 blocks = 7;  // per multiprocessor
  static_assert(threads % warp_size == 0 && max_short_run == warp_size);

  /// The slots whose runs are examined, which include all runs that reach into the tile.
  static constexpr u32 first_ranked = margin - max_short_run, ranked_end = size - max_short_run;

  alignas(16) u32 id[size];  // as sorted
  alignas(16) u32 low[size];
  alignas(16) u32 placed_id[size];       // the same at their final places
  u32 placed_low[size];                  // of slots that share their prefix
  u32 begins_run[size / warp_size + 1];  // a bit per slot, and one word more
  u16 tied[size];                        // the slots that share their prefix, in any order
  u32 tied_count;

  __device__ static bool is_of_tile(u32 w) { return w >= margin && w < margin + slots; }

  /// Returns the bits of the 32 slots from `w` on, the first slot in the lowest bit.
  __device__ u32 begins_from(u32 w) const {
    const u32 word = w / warp_size;
    return __funnelshift_r(begins_run[word], begins_run[word + 1], w % warp_size);
  }
};

/// The words of a thread's slots, and the words before and after them.
struct LoadedSlots {
  static constexpr u32 at_once = TieTile::at_once;
  static constexpr u64 no_key = ~u64{0};

  u64 prefix_mask;
  u64 word[at_once + 2];

  /// slot: the first of the four; at the ends it may be negative or past the last slot
  __device__ LoadedSlots(const SortedPrefixes& sorted, i64 slot) : prefix_mask(sorted.prefix_mask) {
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
    return u32(word[k + 1] & ~prefix_mask);
  }

  /// Returns a bit for each slot and for the next one: 1 if a run begins there or there is no key.
  __device__ u32 begins() const {
    u32 begins = 0;
#pragma unroll
    for (u32 k = 0; k <= at_once; ++k) {
      const bool begins_here = !is_key(k) || ((word[k + 1] ^ word[k]) & prefix_mask) != 0;
      begins |= u32(begins_here) << k;
    }
    return begins;
  }

  /// Returns a bit for each slot: 1 if there is a key.
  __device__ u32 keys() const {
    u32 keys = 0;
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) keys |= u32(is_key(k)) << k;
    return keys;
  }

  /// Returns a byte for each slot: the delta of its prefix and the next one.
  __device__ u32 deltas() const {
    u32 deltas = 0;
#pragma unroll
    for (u32 k = 0; k < at_once; ++k) deltas |= leading_zeros((word[k + 1] ^ word[k + 2]) & prefix_mask) << 8 * k;
    return deltas;
  }

 private:
  struct alignas(16) TwoWords {
    u64 of[2];
  };

  __device__ static u64 word_at(const SortedPrefixes& sorted, i64 slot) {
    return slot >= 0 && slot < i64(sorted.n) ? sorted.words[slot] : no_key;
  }
};

/// Numbers items across the lanes of a warp, in the order of lanes. Each lane has `mine` items, at most 7.
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

/// The state that a thread keeps of its four slots.
struct EnteredSlots {
  static constexpr u32 at_once = TieTile::at_once;

  u32 w;  // place of the first slot in the window
  u32 begins;
  u32 deltas;

  /// Enters the thread's slots in the tile, lists those that share their prefix, and stores the count of keys if
  /// they end here.
  __device__ EnteredSlots(TieTile& tile, const KeyWords& keys, const LoadedSlots& loaded, i64 slot,
                          const MortonOrderOutput& order)
      : w(threadIdx.x * at_once), begins(loaded.begins()), deltas(loaded.deltas()) {
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

  /// Slots with keys come before slots without.
  __device__ static void store_valid_count(u32 key_bits, bool is_next_key, i64 slot,
                                           const MortonOrderOutput& order) {
    const u32 count = u32(__popc(key_bits));
    if (count > 0 && (count < at_once || !is_next_key)) order.store_valid_count(u32(slot) + count);
    if (count == 0 && slot == 0) order.store_valid_count(0);
  }
};

/// Returns the delta of two keys with different prefixes.
__device__ inline u8 delta_between_prefixes(u64 prefix, u64 next_prefix) {
  return u8(leading_zeros(prefix ^ next_prefix));
}

}  // namespace copse::cuda::detail
