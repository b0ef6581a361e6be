#pragma once

// The sort along the curve on the CPU: by fronts, and those with equal fronts by whole keys. Contract:
// builders/bvh/morton/morton_order.h.
//
// A thread sorts each run of equal fronts; the long ones are listed and sorted by all threads after.

#include <algorithm>

#include "builders/bvh/morton/morton_keys.h"
#include "primitives/core/atomic.h"
#include "primitives/cpu/primitives.h"

namespace copse::cpu {

namespace detail {

/// The runs of equal fronts, each by its first slot. In keys.front they stand as words that sort as they are:
///
///   63 .. 32 | 31 .. 0
///   low word | number
struct FrontRuns {
  static constexpr u64 max_by_one_thread = u64{1} << 14;

  copse::detail::KeyWords keys;
  copse::detail::SortedFronts sorted;
  copse::detail::CurveOrder order;

  bool begins_at(u64 slot) const { return slot == 0 || sorted.front(slot - 1) != sorted.front(slot); }

  u64 end(u64 begin) const {
    u64 slot = begin + 1;
    while (slot < sorted.n && sorted.front(slot) == sorted.front(begin)) ++slot;
    return slot;
  }

  u64 word(u64 slot) const {
    const u32 id = sorted.id(slot);
    return u64{keys.low[id]} << 32 | id;
  }

  /// Stores what is known of a slot of a run whose words stand in order at `words`.
  void store(u64 slot, const u64* words, u64 begin, u64 end) const {
    const u64 k = slot - begin;
    order.store_id(slot, u32(words[k]));
    if (slot + 1 < end) {
      order.deltas[slot] = u8(common_prefix(words[k] >> 32, words[k + 1] >> 32, u32(slot)));
    } else if (end == sorted.n || !sorted.is_key(end)) {
      order.store_valid_count(u32(end));
    } else {
      order.deltas[slot] = u8(common_prefix(sorted.front(slot), sorted.front(end), u32(slot)));
    }
  }
};

/// Orders the run that begins at a slot, or lists it.
struct OrderRun {
  FrontRuns runs;
  u64* long_runs;  // where each begins
  u32* long_run_count;

  void operator()(u64 slot) const {
    if (!runs.sorted.is_key(slot)) return store_invalid(slot);
    if (!runs.begins_at(slot)) return;
    const u64 begin = slot, end = runs.end(begin);
    if (end - begin > FrontRuns::max_by_one_thread) {
      long_runs[fetch_add_relaxed(long_run_count, 1u)] = begin;
      return;
    }
    u64* const words = runs.keys.front + begin;
    for (u64 i = begin; i < end; ++i) words[i - begin] = runs.word(i);
    if (end - begin > 1) std::sort(words, words + (end - begin));
    for (u64 i = begin; i < end; ++i) runs.store(i, words, begin, end);
  }

  void store_invalid(u64 slot) const {
    runs.order.store_id(slot, runs.sorted.id(slot));
    if (slot == 0) runs.order.store_valid_count(0);
  }
};

struct WordOfRun {
  FrontRuns runs;
  u64 begin;
  u64 operator()(u64 k) const { return runs.word(begin + k); }
};

struct StoreSlot {
  FrontRuns runs;
  const u64* words;
  u64 begin, end;
  void operator()(u64 k) const { runs.store(begin + k, words, begin, end); }
};

inline constexpr BitRange low_word{32, 64};

template <class KeyOf>
struct StoreKeyWord {
  copse::detail::KeyWord<KeyOf> word;
  void operator()(u64 i) const { word.words.front[i] = word(i); }
};

}  // namespace detail

template <class KeyOf>
void sort_by_fronts(const Executor& ex, u64 n, const KeyOf& key_of, const copse::detail::KeyWords& keys,
                    u64* sorted_words) {
  const auto ready = key_of.ready();
  for_each(ex, "Morton order: keys", n, detail::StoreKeyWord<decltype(ready)>{{ready, keys}});
  radix_sort_keys(ex, "Morton order: sort", n, Elements<u64>{keys.front}, sorted_words, keys.shape.sorted);
}

inline void order_equal_fronts(const Executor& ex, const copse::detail::KeyWords& keys,
                               const copse::detail::SortedFronts& sorted, const copse::detail::CurveOrder& order) {
  ScratchArena::Frame frame(ex.scratch);
  const detail::FrontRuns runs{keys, sorted, order};
  u64* const long_runs = frame.allocate<u64>(sorted.n / detail::FrontRuns::max_by_one_thread + 1);
  u32 long_run_count = 0;
  for_each(ex, "Morton order: equal fronts", sorted.n, detail::OrderRun{runs, long_runs, &long_run_count});

  for (u32 i = 0; i < long_run_count; ++i) {
    const u64 begin = long_runs[i], end = runs.end(begin);
    u64* const words = keys.front + begin;
    radix_sort_keys(ex, "Morton order: long run", end - begin, detail::WordOfRun{runs, begin}, words,
                    detail::low_word);
    for_each(ex, "Morton order: long run", end - begin, detail::StoreSlot{runs, words, begin, end});
  }
}

inline u64 order_equal_fronts_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u64>(n / detail::FrontRuns::max_by_one_thread + 1) +
         radix_sort_keys_scratch_bytes<u64>(ex, n, detail::low_word);
}

inline bool gains_by_boxes_ahead(const Executor&) {
  return false;
}

}  // namespace copse::cpu
