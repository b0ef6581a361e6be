#pragma once

// The sort by Morton key on CUDA: by prefix, then by whole keys among equal prefixes. Contract:
// builders/bvh/morton/sort_keys.h.
//
// The pass of the sort that counts digits also makes the keys, so that it need not read them. Runs of equal
// prefixes are put in order:
//
//   runs of at most 32   by counting, one thread per primitive
//   of at most 256       by a warp, in its registers (morton_runs.cuh)
//   of at most 8704      by a block
//   longer               by a radix sort over all, in the same launch (morton_resort.cuh); such keys come from
//                        scenes with most primitives in a thousandth of their extent
//
// Most prefixes are unique. Primitives that share one are listed in shared memory, so that full warps work on
// them.

#include <type_traits>

#include "builders/bvh/morton/key_buckets.cuh"
#include "builders/bvh/morton/morton_runs.cuh"
#include "builders/bvh/morton/tie_tile.cuh"
#include "builders/geometry/box_sources.h"
#include "primitives/cuda/primitives.cuh"

namespace copse::cuda {

namespace detail {

/// The place of a slot in its run: how many slots of the run are before and after it, each at most
/// `max_short_run`.
struct PlaceInRun {
  u32 left, right;

  __device__ PlaceInRun(const TieTile& tile, u32 w) {
    left = leading_zeros(tile.begins_from(w - (warp_size - 1)));
    const u32 begins_after = tile.begins_from(w + 1);
    right = begins_after == 0 ? max_short_run : u32(__ffs(int(begins_after))) - 1;
  }
  __device__ u32 run_size() const { return left + 1 + right; }
};

/// Puts the primitive of a slot at its place in a short run, by counting the primitives that come before it.
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

/// Lists the long run that begins at a slot, for a warp, a block or the sort over all.
__device__ inline void list_run(const SortedPrefixes& sorted, u64 slot, const RunList& runs, RunState* state) {
  const auto reaches = [&](u64 size) {
    return slot + size < sorted.n && sorted.prefix(slot + size) == sorted.prefix(slot);
  };
  if (reaches(max_block_run)) {
    store_relaxed(&state->needs_resort, 1u);
  } else if (reaches(max_warp_run)) {
    runs.add_block_run(u32(slot), state);
  } else {
    runs.add_warp_run(u32(slot), state);
  }
}

/// Puts the primitives of short runs at their places, and lists the long runs, whose slots keep their primitives
/// for now.
__device__ inline void place_ties(TieTile& tile, i64 first, const SortedPrefixes& sorted, const RunList& runs,
                                  RunState* state) {
  for (u32 i = threadIdx.x; i < tile.tied_count; i += TieTile::threads) {
    const u32 w = tile.tied[i];
    const PlaceInRun place(tile, w);
    if (place.run_size() <= max_short_run) {
      place_in_run(tile, w, place);
      continue;
    }
    tile.placed_low[w] = tile.low[w];
    if (place.left == 0 && TieTile::is_of_tile(w)) list_run(sorted, u64(first + w), runs, state);
  }
}

/// Stores the order of the thread's slots and their deltas. A delta may be any value in a long run, which is not
/// in order yet, and behind the last key.
__device__ inline void store_slots(const TieTile& tile, const EnteredSlots& mine, u64 slot, u64 n,
                                   const MortonOrderOutput& order) {
  constexpr u32 at_once = TieTile::at_once;
  const FourSlots<u32> ids = *reinterpret_cast<const FourSlots<u32>*>(tile.placed_id + mine.w);
  FourSlots<u8> deltas;
#pragma unroll
  for (u32 k = 0; k < at_once; ++k) {
    const u32* const low = tile.placed_low + mine.w + k;
    deltas.of[k] = mine.is_tied_with_next(k) ? u8(common_prefix(u64{low[0]}, u64{low[1]}, u32(slot) + k))
                                             : u8(mine.deltas >> 8 * k);
  }
  if (slot + at_once <= n) {
    *reinterpret_cast<FourSlots<u32>*>(order.bvh.primitive_ids + slot) = ids;
    *reinterpret_cast<FourSlots<u8>*>(order.deltas + slot) = deltas;
    return;
  }
#pragma unroll
  for (u32 k = 0; k < at_once; ++k) {
    if (slot + k >= n) break;
    order.store_id(slot + k, ids.of[k]);
    order.deltas[slot + k] = deltas.of[k];
  }
}

__global__ static void __launch_bounds__(TieTile::threads, TieTile::blocks)
    order_short_runs_kernel(const KeyWords keys, const SortedPrefixes sorted, const RunList runs, RunState* state,
                            const MortonOrderOutput order) {
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

inline void order_short_runs(const Executor& ex, const KeyWords& keys, const SortedPrefixes& sorted,
                             const RunList& runs, RunState* state, const MortonOrderOutput& order) {
  launch(ex, "Morton order: short runs", order_short_runs_kernel,
         {.blocks = divide_rounding_up(keys.n, TieTile::slots),
          .threads = TieTile::threads,
          .overlaps_earlier_launch = true},
         keys, sorted, runs, state, order);
}

using copse::detail::KeyWord;

template <class KeyOf>
void sort_key_words(const Executor& ex, u64 n, const KeyOf& key_of, const KeyWords& keys, u64* sorted_words) {
  radix_sort_keys_read_once(ex, "Morton order: sort", n, KeyWord<KeyOf>{key_of, keys}, keys.prefix, sorted_words,
                            keys.shape.sorted);
}

}  // namespace detail

template <class Boxes>
void sort_by_prefix(const Executor& ex, u64 n, const copse::detail::MortonKeyOf<Boxes>& key_of,
                    const copse::detail::KeyWords& keys, u64* sorted_words) {
  if constexpr (std::is_same_v<Boxes, TriangleBoxes>) {
    using GatheredBoxes = copse::detail::GatheredBoxes<copse::detail::TripleLoad::singly>;
    if (GatheredBoxes::takes(key_of.boxes)) {
      const copse::detail::MortonKeyOf<GatheredBoxes> gathered{GatheredBoxes::of(key_of.boxes), key_of.bounds,
                                                               key_of.precomputed};
      return detail::sort_key_words(ex, n, gathered, keys, sorted_words);
    }
  }
  detail::sort_key_words(ex, n, key_of, keys, sorted_words);
}

inline void order_equal_prefixes(const Executor& ex, const copse::detail::KeyWords& keys,
                                 const copse::detail::SortedPrefixes& sorted,
                                 const copse::detail::MortonOrderOutput& order) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 blocks = detail::run_blocks(ex);
  const detail::RunList runs = detail::allocate_run_list(frame, keys.n, blocks);
  ZeroedMemory::Scope zeroed(ex.zeroed);
  auto* state = static_cast<detail::RunState*>(zeroed.data());
  detail::order_short_runs(ex, keys, sorted, runs, state, order);
  detail::order_long_runs(ex, blocks, keys, sorted, runs, state, order);
  zeroed.leaves_zero();
}

inline u64 order_equal_prefixes_scratch_bytes(const Executor& ex, u64 n) {
  return detail::run_list_scratch_bytes(n, detail::run_blocks(ex));
}

inline bool gains_by_precomputed_bounds(const Executor&) {
  return true;
}

}  // namespace copse::cuda
