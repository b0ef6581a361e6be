#pragma once

// One worker per tile, in two passes: the first measures the tile, the second fills its slots.

#include <memory>

#include "primitives/cpu/workers.h"
#include "primitives/tables/bidirectional_place.h"

namespace copse::cpu {

namespace detail {

using copse::detail::JoinStretches;
using copse::detail::no_bound;
using copse::detail::PlacedStretch;
using copse::detail::PlacesInTable;
using copse::detail::PlacingTask;

inline constexpr u64 placing_tile = 8192;

/// The outcome of a pair.
enum class Placing : u8 { kept, repeated, cell, repeated_cell };

template <class Task>
class PlacedTile {
 public:
  /// Reads one group more than the tile has, for the windows of its last keys.
  PlacedTile(const Task& task, u64 tile) : task_(task), first_(tile * placing_tile) {
    using Slots = typename Task::Slots;
    const u64 end = smaller(first_ + placing_tile, task.n);
    const u64 end_of_windows = smaller(first_ + placing_tile + task.group, task.n);
    size = end - first_;
    for (u64 i = first_; i < end_of_windows; ++i) {
      const u32 tag = task.pairs.tags[i];
      const bool repeated = task.is_repeated(i);
      const u64 k = i - first_;
      if (Slots::is_special(tag)) {
        what[k] = repeated ? Placing::repeated_cell : Placing::cell;
      } else {
        what[k] = repeated ? Placing::repeated : Placing::kept;
      }
      rank[k] = rank_;
      bound[k] = ~no_bound;
      if (what[k] != Placing::kept) continue;
      bound[k] = i64(task.slots.layout().home_of(tag) - Task::Slots::Layout::first_slot) - i64(rank_++);
    }
    count = size < end_of_windows - first_ ? rank[size] : rank_;
    take_min_of_windows(end_of_windows - first_);
  }

  u64 size, count;
  Placing what[placing_tile + copse::detail::max_placing_group];
  u64 rank[placing_tile + copse::detail::max_placing_group];   // in the tile
  i64 bound[placing_tile + copse::detail::max_placing_group];  // without what comes before the tile

 private:
  void take_min_of_windows(u64 read) {
    i64 of_next_group = ~no_bound, of_group = ~no_bound;
    for (u64 k = read; k-- > 0;) {
      if (k % task_.group == task_.group - 1) {
        of_next_group = of_group;
        of_group = ~no_bound;
      }
      of_group = smaller(of_group, bound[k]);
      bound[k] = smaller(of_group, of_next_group);
    }
  }

  const Task& task_;
  u64 first_, rank_ = 0;
};

template <class Task>
PlacedStretch stretch_of(const PlacedTile<Task>& tile) {
  PlacedStretch stretch{tile.count, no_bound};
  for (u64 k = 0; k < tile.size; ++k) {
    if (tile.what[k] == Placing::kept) stretch.highest = larger(stretch.highest, tile.bound[k]);
  }
  return stretch;
}

template <class Task>
void clear_slots(const Task& task, u64 first, u64 end) {
  using Layout = typename Task::Slots::Layout;
  for (u64 slot = first; slot < end; ++slot) {
    store_relaxed(task.slots.layout().word(Layout::first_slot + slot),
                  Layout::free_word(copse::detail::empty_tag));
  }
}

/// Fills the slots from the end of the tiles before to the end of this tile.
template <class Task>
void fill_slots(const Task& task, u64 tile_id, const PlacedStretch& before, const PlacesInTable& places,
                bool is_last, u64 (&outcomes)[4]) {
  using Slots = typename Task::Slots;
  using Layout = typename Slots::Layout;
  const auto tile = std::make_unique<PlacedTile<Task>>(task, tile_id);
  i64 highest = before.highest;
  u64 free_from = places.end_of(before.count, highest);
  for (u64 k = 0; k < tile->size; ++k) {
    const u64 i = tile_id * placing_tile + k;
    const u32 tag = task.pairs.tags[i];
    const u64 rank = before.count + tile->rank[k];
    InsertResult result = InsertResult::found;
    if (tile->what[k] == Placing::cell) {
      result = task.slots.put_in_cell(tag, task.pairs.value(i), task.mode == HashMode::assign);
    } else if (tile->what[k] == Placing::repeated) {
      if (places.spare == 0 && task.rank_of_kept(i, rank) >= places.slot_count) result = InsertResult::full;
    } else if (tile->what[k] == Placing::kept) {
      highest = larger(highest, tile->bound[k] - i64(before.count));
      result = rank < places.slot_count ? InsertResult::inserted : InsertResult::full;
      if (rank < places.slot_count) {
        const u64 slot = places.slot_of(rank, highest);
        clear_slots(task, free_from, slot);
        copse::detail::put_element(task.slots.layout(), Layout::first_slot + slot, {task.pairs.key(i), tag, 0},
                                   task.pairs.value(i));
        free_from = slot + 1;
      }
    }
    task.pairs.report(i, result);
    ++outcomes[u32(result)];
  }
  const u64 end = is_last ? places.slot_count : places.end_of(before.count + tile->count, highest);
  clear_slots(task, free_from, end);
}

}  // namespace detail

/// Contract: primitives/tables/bidirectional_place.h.
template <class Pairs>
void place_sorted(const Executor& ex, const char* label, const detail::PlacingTask<Pairs>& task) {
  using Task = detail::PlacingTask<Pairs>;
  if (*task.occupied != 0) return;
  ScratchArena::Frame frame(ex.scratch);
  const u64 tile_count = divide_rounding_up(task.n, detail::placing_tile);
  auto* before = frame.allocate<detail::PlacedStretch>(tile_count + 1);
  parallel_ranges(ex, label, tile_count, 1, [&](u64 begin, u64 end) {
    for (u64 tile = begin; tile < end; ++tile) {
      before[tile + 1] = detail::stretch_of(*std::make_unique<detail::PlacedTile<Task>>(task, tile));
    }
  });
  before[0] = {0, detail::no_bound};
  for (u64 tile = 0; tile < tile_count; ++tile) {
    before[tile + 1] = detail::JoinStretches{}(before[tile], before[tile + 1]);
  }
  const u64 slot_count = task.slots.slot_count();
  const detail::PlacesInTable places(slot_count, before[tile_count].count);
  parallel_ranges(ex, label, tile_count, 1, [&](u64 begin, u64 end) {
    u64 outcomes[4] = {};
    for (u64 tile = begin; tile < end; ++tile) {
      detail::fill_slots(task, tile, before[tile], places, tile + 1 == tile_count, outcomes);
    }
    constexpr u32 full = u32(InsertResult::full);
    if (outcomes[full] > 0) fetch_add_relaxed(&task.slots.layout().header()->refused, outcomes[full]);
    for (u32 k = 0; k < 4 && task.counts != nullptr; ++k) {
      if (outcomes[k] > 0) fetch_add_relaxed(task.counts + k, outcomes[k]);
    }
  });
}

}  // namespace copse::cpu
