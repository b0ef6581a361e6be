#pragma once

// One block per tile, in two passes: the first measures the tile, the second fills its slots. The second pass
// gathers the slots in shared memory, and stores all of them, also the empty ones. bench: copse-bench-primitives,
// bidirectional/insert.

#include "primitives/cuda/block.cuh"
#include "primitives/cuda/scan.cuh"
#include "primitives/tables/bidirectional_find.cuh"
#include "primitives/tables/bidirectional_place.h"

namespace copse::cuda {

namespace detail {

using copse::detail::JoinStretches;
using copse::detail::max_placing_group;
using copse::detail::no_bound;
using copse::detail::PlacedStretch;
using copse::detail::PlacesInTable;
using copse::detail::PlacingTask;

inline constexpr u32 placing_threads = 256;
inline constexpr u32 keys_per_thread = 8;  // the shortest group
inline constexpr u32 placing_tile = placing_threads * keys_per_thread;
inline constexpr u32 placing_halo = max_placing_group / keys_per_thread;  // keys behind the tile, in threads
static_assert(keys_per_thread == copse::detail::min_placing_group && placing_halo <= warp_size);

/// The keys of a thread, which are neighbours.
struct KeysOfThread {
  u32 tag[keys_per_thread];
  bool is_there[keys_per_thread], is_repeated[keys_per_thread], is_kept[keys_per_thread];
  u32 kept_count;
};

template <class Task>
__device__ KeysOfThread load_keys(const Task& task, u64 first) {
  KeysOfThread keys;
  if (first + keys_per_thread <= task.n) {
    const auto* words = reinterpret_cast<const uint4*>(task.pairs.tags + first);
    const uint4 low = words[0], high = words[1];
    const u32 tags[keys_per_thread] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (u32 k = 0; k < keys_per_thread; ++k) keys.tag[k] = tags[k];
  } else {
#pragma unroll
    for (u32 k = 0; k < keys_per_thread; ++k) keys.tag[k] = first + k < task.n ? task.pairs.tags[first + k] : 0;
  }
  const bool later = task.mode == HashMode::assign;
  const u64 neighbour = later ? first + keys_per_thread : first - 1;  // past the end where there is none
  const u32 outside = neighbour < task.n ? task.pairs.tags[neighbour] : 0;
  keys.kept_count = 0;
#pragma unroll
  for (u32 k = 0; k < keys_per_thread; ++k) {
    const u32 before = k == 0 ? outside : keys.tag[k == 0 ? 0 : k - 1];
    const u32 after = k == keys_per_thread - 1 ? outside : keys.tag[k == keys_per_thread - 1 ? 0 : k + 1];
    keys.is_there[k] = first + k < task.n;
    keys.is_repeated[k] =
        keys.is_there[k] && keys.tag[k] == (later ? after : before) && task.is_repeated(first + k);
    keys.is_kept[k] = keys.is_there[k] && !keys.is_repeated[k] && !Task::Slots::is_special(keys.tag[k]);
    keys.kept_count += keys.is_kept[k] ? 1 : 0;
  }
  return keys;
}

/// Computes the bounds of a thread's keys: for each, the least d from it to the thread's last key. The places
/// before the tile are not yet subtracted.
template <class Task>
__device__ void min_to_end(const Task& task, const KeysOfThread& keys, u32 rank, i64 (&bound)[keys_per_thread]) {
  rank += keys.kept_count;
  i64 least = ~no_bound;
#pragma unroll
  for (u32 k = keys_per_thread; k-- > 0;) {
    if (keys.is_kept[k]) {
      const u64 home = task.slots.layout().home_of(keys.tag[k]) - Task::Slots::Layout::first_slot;
      least = smaller(least, i64(home) - i64(--rank));
    }
    bound[k] = least;
  }
}

struct PlacingShared {
  BlockStorage<u32, placing_threads> counts;
  i64 least[placing_threads + placing_halo];  // the least d of each thread's keys
};

/// A thread's part of its block's tile.
struct PlacedTile {
  KeysOfThread keys;
  u32 rank, count;  // how many keys are kept in the tile before the thread's keys, and in the whole tile
  i64 bound[keys_per_thread];
  i64 highest;  // the largest bound of the thread's keys
};

template <class Task>
__device__ PlacedTile load_tile(const Task& task, u64 tile_id, PlacingShared& shared) {
  PlacedTile tile;
  const u64 first = tile_id * placing_tile;
  tile.keys = load_keys(task, first + threadIdx.x * keys_per_thread);
  const BlockSum sum = block_exclusive_sum<placing_threads>(tile.keys.kept_count, shared.counts);
  tile.rank = sum.before;
  tile.count = sum.total;
  min_to_end(task, tile.keys, tile.rank, tile.bound);
  shared.least[threadIdx.x] = tile.bound[0];
  if (threadIdx.x < warp_size) {
    // Read the keys behind the tile, as far as windows reach.
    const KeysOfThread behind = load_keys(task, first + placing_tile + threadIdx.x * keys_per_thread);
    const u32 through = warp_inclusive_scan(behind.kept_count, Plus{});
    i64 bound[keys_per_thread];
    min_to_end(task, behind, tile.count + through - behind.kept_count, bound);
    if (threadIdx.x < placing_halo) shared.least[placing_threads + threadIdx.x] = bound[0];
  }
  __syncthreads();

  const u32 lanes = task.group / keys_per_thread;
  const u32 end = (threadIdx.x / lanes + 2) * lanes;
  i64 after = ~no_bound;
  for (u32 thread = threadIdx.x + 1; thread < end; ++thread) after = smaller(after, shared.least[thread]);
  tile.highest = no_bound;
#pragma unroll
  for (u32 k = 0; k < keys_per_thread; ++k) {
    tile.bound[k] = smaller(tile.bound[k], after);
    if (tile.keys.is_kept[k]) tile.highest = larger(tile.highest, tile.bound[k]);
  }
  return tile;
}

template <class Task>
__global__ void __launch_bounds__(placing_threads)
    measure_tiles_kernel(const Task task, PlacedStretch* stretches) {
  __shared__ PlacingShared shared;
  __shared__ BlockStorage<i64, placing_threads> highest;
  if (*task.occupied != 0) {
    if (threadIdx.x == 0) stretches[blockIdx.x] = {0, no_bound};
    return;
  }
  const PlacedTile tile = load_tile(task, blockIdx.x, shared);
  const auto scan = block_inclusive_scan<placing_threads>(tile.highest, Larger{}, highest);
  if (threadIdx.x == 0) stretches[blockIdx.x] = {tile.count, scan.total};
}

/// The slots of a thread's pairs, counted from 0; ~0 for a pair that takes no slot.
struct PairsOfThread {
  u64 slot[keys_per_thread];
  u32 outcomes;  // how many pairs have each outcome, 8 bits per outcome
};

template <class Task>
__device__ PairsOfThread place_pairs(const Task& task, u64 first, const PlacedTile& tile, u64 base, i64 highest,
                                     const PlacesInTable& places) {
  PairsOfThread pairs{{}, 0};
  u64 rank = base + tile.rank;
#pragma unroll
  for (u32 k = 0; k < keys_per_thread; ++k) {
    pairs.slot[k] = ~u64{0};
    if (!tile.keys.is_there[k]) continue;
    InsertResult result = InsertResult::found;
    if (tile.keys.is_kept[k]) {
      highest = larger(highest, tile.bound[k] - i64(base));
      result = rank < places.slot_count ? InsertResult::inserted : InsertResult::full;
      if (rank < places.slot_count) pairs.slot[k] = places.slot_of(rank, highest);
      ++rank;
    } else if (!tile.keys.is_repeated[k]) {
      const bool assigns = task.mode == HashMode::assign;
      result = task.slots.put_in_cell(tile.keys.tag[k], task.pairs.value(first + k), assigns);
    } else if (places.spare == 0 && !Task::Slots::is_special(tile.keys.tag[k]) &&
               task.rank_of_kept(first + k, rank) >= places.slot_count) {
      result = InsertResult::full;
    }
    task.pairs.report(first + k, result);
    pairs.outcomes += 1u << 8 * u32(result);
  }
  return pairs;
}

/// Adds the outcomes of a block's pairs to the counts.
template <class Task>
__device__ void count_outcomes(const Task& task, u32 outcomes) {
  constexpr u32 full = u32(InsertResult::full);
  for (u32 k = 0; k < 3; ++k) {
    const u32 of_warp = warp_add(all_lanes, outcomes >> 8 * k & 0xffu);
    if (lane_id() != 0 || of_warp == 0) continue;
    if (k == full) fetch_add_relaxed(&task.slots.layout().header()->refused, u64{of_warp});
    if (task.counts != nullptr) fetch_add_relaxed(task.counts + k, u64{of_warp});
  }
}

/// How many words a block gathers at a time.
template <class Word>
inline constexpr u32 gathered_words = 16384 / sizeof(Word);

/// Stores the slots [begin, end) of the table: the elements of the threads, and empty slots between them.
template <class Task>
__device__ void store_slots(const Task& task, u64 first, const PlacedTile& tile, const PairsOfThread& pairs,
                            u64 begin, u64 end, typename Task::Slots::Word* gathered) {
  using Layout = typename Task::Slots::Layout;
  using Word = typename Layout::Word;
  constexpr u32 size = gathered_words<Word>;
  const Layout layout = task.slots.layout();
  for (u64 base = begin / size * size; base < end; base += size) {
    for (u32 k = threadIdx.x; k < size; k += placing_threads) gathered[k] = 0;
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < keys_per_thread; ++k) {
      if (pairs.slot[k] - base >= size) continue;
      const auto value = task.pairs.value(first + k);
      gathered[pairs.slot[k] - base] = Layout::word_of(tile.keys.tag[k], value);
      if constexpr (!Layout::is_packed) {
        layout.store_key(Layout::first_slot + pairs.slot[k], task.pairs.key(first + k));
        layout.store_value(Layout::first_slot + pairs.slot[k], value);
      }
    }
    __syncthreads();
    for (u32 k = threadIdx.x; k < size; k += placing_threads) {
      const u64 slot = base + k;
      if (slot >= begin && slot < end) *layout.word(Layout::first_slot + slot) = gathered[k];
    }
    __syncthreads();
  }
}

template <class Task>
__global__ void __launch_bounds__(placing_threads)
    fill_slots_kernel(const Task task, const PlacedStretch* before, const PlacedStretch* total) {
  using Word = typename Task::Slots::Word;
  __shared__ PlacingShared shared;
  __shared__ BlockStorage<i64, placing_threads> highest_of_warps;
  __shared__ Word gathered[gathered_words<Word>];
  if (*task.occupied != 0) return;
  const PlacesInTable places(task.slots.slot_count(), total->count);
  const PlacedStretch base = before[blockIdx.x];
  const PlacedTile tile = load_tile(task, blockIdx.x, shared);

  // Find the largest bound before each thread's keys.
  const auto scan = block_inclusive_scan<placing_threads>(tile.highest, Larger{}, highest_of_warps);
  i64 highest = shuffle_up(scan.inclusive, 1);
  if (lane_id() == 0) highest = threadIdx.x == 0 ? no_bound : scan.warps_before;
  highest = larger(base.highest, highest - i64(base.count));

  const u64 first = blockIdx.x * u64{placing_tile} + threadIdx.x * keys_per_thread;
  const PairsOfThread pairs = place_pairs(task, first, tile, base.count, highest, places);
  count_outcomes(task, pairs.outcomes);
  const bool is_last = blockIdx.x + 1 == gridDim.x;
  const u64 begin = places.end_of(base.count, base.highest);
  const i64 through = larger(base.highest, scan.total - i64(base.count));
  const u64 end = is_last ? places.slot_count : places.end_of(base.count + tile.count, through);
  store_slots(task, first, tile, pairs, begin, end, gathered);
}

}  // namespace detail

/// Contract: primitives/tables/bidirectional_place.h.
template <class Pairs>
void place_sorted(const Executor& ex, const char* label, const detail::PlacingTask<Pairs>& task) {
  using detail::PlacedStretch;
  using Task = detail::PlacingTask<Pairs>;
  if (task.n == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  const u64 tile_count = divide_rounding_up(task.n, detail::placing_tile);
  auto* stretches = frame.allocate<PlacedStretch>(tile_count + 1);
  auto* before = frame.allocate<PlacedStretch>(tile_count + 1);
  launch(ex, label, detail::measure_tiles_kernel<Task>, {tile_count, detail::placing_threads}, task, stretches);
  exclusive_scan(ex, label, tile_count, Elements<PlacedStretch>{stretches}, PlacedStretch{0, detail::no_bound},
                 detail::JoinStretches{}, before, before + tile_count);
  launch(ex, label, detail::fill_slots_kernel<Task>, {tile_count, detail::placing_threads}, task, before,
         before + tile_count);
}

}  // namespace copse::cuda
