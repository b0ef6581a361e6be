#pragma once

// The sort by Morton key on the CPU: by prefix, then by whole keys among equal prefixes. Contract:
// builders/bvh/morton/sort_keys.h.
//
// One thread sorts each short run of equal prefixes. Long runs are listed; then all threads sort each of them
// together.

#include <algorithm>

#include "builders/bvh/morton/sort_keys.h"
#include "primitives/core/atomic.h"
#include "primitives/cpu/primitives.h"

namespace copse::cpu {

namespace detail {

/// Runs of equal prefixes, each named by its first slot. Its words go to keys.prefix and sort as they are:
///
///   63 .. 32 | 31 .. 0
///   low word | number
struct PrefixRuns {
  static constexpr u64 max_by_one_thread = u64{1} << 14;

  copse::detail::KeyWords keys;
  copse::detail::SortedPrefixes sorted;
  copse::detail::MortonOrderOutput order;

  bool begins_at(u64 slot) const { return slot == 0 || sorted.prefix(slot - 1) != sorted.prefix(slot); }

  u64 end(u64 begin) const {
    u64 slot = begin + 1;
    while (slot < sorted.n && sorted.prefix(slot) == sorted.prefix(begin)) ++slot;
    return slot;
  }

  u64 word(u64 slot) const {
    const u32 id = sorted.id(slot);
    return u64{keys.low[id]} << 32 | id;
  }

  /// Stores the primitive and the delta of a slot of a run whose sorted words are at `words`.
  void store(u64 slot, const u64* words, u64 begin, u64 end) const {
    const u64 k = slot - begin;
    order.store_id(slot, u32(words[k]));
    if (slot + 1 < end) {
      order.deltas[slot] = u8(common_prefix(words[k] >> 32, words[k + 1] >> 32, u32(slot)));
    } else if (end == sorted.n || !sorted.is_key(end)) {
      order.store_valid_count(u32(end));
    } else {
      order.deltas[slot] = u8(common_prefix(sorted.prefix(slot), sorted.prefix(end), u32(slot)));
    }
  }
};

/// Orders the run that begins at a slot, or lists it.
struct OrderRun {
  PrefixRuns runs;
  u64* long_runs;  // where each begins
  u32* long_run_count;

  void operator()(u64 slot) const {
    if (!runs.sorted.is_key(slot)) return store_invalid(slot);
    if (!runs.begins_at(slot)) return;
    const u64 begin = slot, end = runs.end(begin);
    if (end - begin > PrefixRuns::max_by_one_thread) {
      long_runs[fetch_add_relaxed(long_run_count, 1u)] = begin;
      return;
    }
    u64* const words = runs.keys.prefix + begin;
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
  PrefixRuns runs;
  u64 begin;
  u64 operator()(u64 k) const { return runs.word(begin + k); }
};

struct StoreSlot {
  PrefixRuns runs;
  const u64* words;
  u64 begin, end;
  void operator()(u64 k) const { runs.store(begin + k, words, begin, end); }
};

inline constexpr BitRange low_word{32, 64};

template <class KeyOf>
struct StoreKeyWord {
  copse::detail::KeyWord<KeyOf> word;
  void operator()(u64 i) const { word.words.prefix[i] = word(i); }
};

}  // namespace detail

template <class KeyOf>
void sort_by_prefix(const Executor& ex, u64 n, const KeyOf& key_of, const copse::detail::KeyWords& keys,
                    u64* sorted_words) {
  const auto ready = key_of.ready();
  for_each(ex, "Morton order: keys", n, detail::StoreKeyWord<decltype(ready)>{{ready, keys}});
  radix_sort_keys(ex, "Morton order: sort", n, Elements<u64>{keys.prefix}, sorted_words, keys.shape.sorted);
}

inline void order_equal_prefixes(const Executor& ex, const copse::detail::KeyWords& keys,
                                 const copse::detail::SortedPrefixes& sorted,
                                 const copse::detail::MortonOrderOutput& order) {
  ScratchArena::Frame frame(ex.scratch);
  const detail::PrefixRuns runs{keys, sorted, order};
  u64* const long_runs = frame.allocate<u64>(sorted.n / detail::PrefixRuns::max_by_one_thread + 1);
  u32 long_run_count = 0;
  for_each(ex, "Morton order: equal prefixes", sorted.n, detail::OrderRun{runs, long_runs, &long_run_count});

  for (u32 i = 0; i < long_run_count; ++i) {
    const u64 begin = long_runs[i], end = runs.end(begin);
    u64* const words = keys.prefix + begin;
    radix_sort_keys(ex, "Morton order: long run", end - begin, detail::WordOfRun{runs, begin}, words,
                    detail::low_word);
    for_each(ex, "Morton order: long run", end - begin, detail::StoreSlot{runs, words, begin, end});
  }
}

inline u64 order_equal_prefixes_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u64>(n / detail::PrefixRuns::max_by_one_thread + 1) +
         radix_sort_keys_scratch_bytes<u64>(ex, n, detail::low_word);
}

inline bool gains_by_precomputed_bounds(const Executor&) {
  return false;
}

/// Contract: builders/bvh/morton/morton_order.inl. On the CPU the sort is a fifth of a build, and buckets were
/// slower, so it does not use the old order.
template <class Boxes>
copse::detail::MortonOrder sort_from_last_order(const Executor& ex, ScratchArena::Frame& frame, const Boxes& boxes,
                                                u64 n, u32 morton_bits, const copse::detail::BvhArrays& bvh) {
  return copse::detail::sort_by_morton_key(ex, frame, boxes, n, morton_bits, bvh);
}

inline copse::detail::MortonOrderScratch last_order_scratch(const Executor& ex, u64 n, bool of_triangles,
                                                            u32 morton_bits) {
  return copse::detail::sort_by_morton_key_scratch(ex, n, of_triangles, morton_bits);
}

}  // namespace copse::cpu
