#pragma once

// Bulk insertion into tables with bidirectional linear probing, as templates on the executor.
//
// Many keys are sorted by tag. If the table is empty, a scan then gives each key its slot, and the table is
// written front to back (bidirectional_place.h). If not, threads insert the sorted keys one by one. Each thread
// inserts a strand of neighbours, so the next key of a strand finds its slots in the cache, while keys that
// different threads insert at the same time are far apart and lock different runs. If there are few keys for the
// size of the table, they are inserted in their own order. bench: copse-bench-primitives, bidirectional/.

#include "primitives/core/warp_atomic.h"
#include "primitives/hash_templates.h"
#include "primitives/radix_sort.h"
#include "primitives/tables/bidirectional_place.h"

namespace copse::detail {

// Instantiated in sort/radix_sort.inl, so that the tables need no sort of their own.
template <class Executor, class Bits>
void sort_elements(const Executor& ex, const Bits* keys_in, const u32* values_in, u64 n, Bits* keys_out,
                   u32* values_out, BitRange bits, const KeyEncoding<Bits>& encoding);

/// True if it pays to sort the keys and to look at the whole table.
inline bool inserts_by_order(u64 n, u64 slot_count) {
  return n >= slot_count / 16 && n >= 1024 && n <= 0xffffffffu;
}

/// The number of strands: as many as the threads that a GPU runs at once.
inline constexpr u64 max_strands = u64{1} << 18;

template <class Layout, class Keys>
struct TagsOfKeys {
  Keys keys;
  COPSE_HD u32 operator()(u64 i) const { return Layout::tag_of(keys(i)); }
};

template <class Tags>
struct StoreTags {
  Tags tags;
  u32* out;
  COPSE_HD void operator()(u64 i) const { out[i] = tags(i); }
};

template <class Values>
struct ValueWords {
  Values values;
  COPSE_HD u32 operator()(u64 i) const { return values(i).word[0]; }
};

template <class Slots>
struct SlotIsTaken {
  Slots slots;
  COPSE_HD bool operator()(u64 slot) const {
    return !is_free(slots.layout().tag_at(Slots::Layout::first_slot + slot));
  }
};

/// Inserts one strand of the sorted pairs if the table holds elements.
template <class Pairs>
struct InsertStrand {
  PlacingTask<Pairs> task;
  u64 pairs_a_strand;

  COPSE_HD void operator()(u64 strand) const {
    if (*task.occupied == 0) return;
    u32 outcomes[3] = {};
    const u64 end = smaller((strand + 1) * pairs_a_strand, task.n);
    for (u64 i = strand * pairs_a_strand; i < end; ++i) {
      const auto start = task.slots.start(task.pairs.key(i));
      const auto value = task.pairs.value(i);
      const InsertResult result = task.mode == HashMode::assign ? task.slots.insert_or_assign(start, value)
                                                                : task.slots.insert(start, value);
      task.pairs.report(i, result);
      for (u32 k = 0; k < 3; ++k) outcomes[k] += k == u32(result) ? 1 : 0;
    }
    for (u32 k = 0; k < 3 && task.counts != nullptr; ++k) fetch_add_by_warp(task.counts + k, outcomes[k]);
  }
};

template <class Executor, class Pairs>
void insert_sorted(const Executor& ex, const char* label, const PlacingTask<Pairs>& task, bool is_surely_empty) {
  place_sorted(ex, label, task);
  if (is_surely_empty) return;
  const u64 pairs_a_strand = divide_rounding_up(task.n, smaller(task.n, max_strands));
  for_each(ex, label, divide_rounding_up(task.n, pairs_a_strand), InsertStrand<Pairs>{task, pairs_a_strand});
}

/// Sorts the pairs by tag and inserts them. `occupied`: not 0 if the table holds elements.
template <class Executor, class Slots, class Keys, class Values>
void sort_and_insert(const Executor& ex, const char* label, u64 n, const InsertEach<Slots, Keys, Values>& each,
                     const u32* occupied, bool is_surely_empty, u64* counts) {
  using Layout = typename Slots::Layout;
  const Slots& slots = each.slots;
  ScratchArena::Frame frame(ex.scratch);
  u32* tags = frame.template allocate<u32>(n);
  const TagsOfKeys<Layout, Keys> tags_of_keys{each.keys};
  const u32 group = placing_group(n, slots.slot_count());
  if constexpr (Layout::is_packed) {
    if (each.results == nullptr) {
      using Pairs = PackedPairs<Slots>;
      u32* value_words = nullptr;
      if constexpr (Slots::value_bytes > 0) {
        value_words = frame.template allocate<u32>(n);
        radix_sort_pairs<u32, u32>(ex, label, n, tags_of_keys, ValueWords<Values>{each.values}, tags, value_words,
                                   {0, 32});
      } else {
        radix_sort_keys<u32>(ex, label, n, tags_of_keys, tags, {0, 32});
      }
      insert_sorted(ex, label,
                    PlacingTask<Pairs>{slots, n, {tags, value_words}, each.mode, group, occupied, counts},
                    is_surely_empty);
      return;
    }
  }
  // Takes the sort that the library has compiled: sorts are slow to compile, and wide records are slower to move.
  using Pairs = IndexedPairs<Slots, Keys, Values>;
  u32* order = frame.template allocate<u32>(n);
  {
    ScratchArena::Frame unsorted_frame(ex.scratch);
    u32* unsorted = unsorted_frame.template allocate<u32>(n);
    for_each(ex, label, n, StoreTags<TagsOfKeys<Layout, Keys>>{tags_of_keys, unsorted});
    sort_elements(ex, static_cast<const u32*>(unsorted), static_cast<const u32*>(nullptr), n, tags, order,
                  BitRange{0, 32}, encoding_of<u32>(SortOrder::ascending));
  }
  const Pairs pairs{tags, order, each.keys, each.values, each.results};
  insert_sorted(ex, label, PlacingTask<Pairs>{slots, n, pairs, each.mode, group, occupied, counts},
                is_surely_empty);
}

/// Inserts all keys. If `replaces_all`, the table first loses its elements.
template <class Executor, class Each>
void insert_ordered(const Executor& ex, const char* label, u64 n, const Each& each, HashCounts* counts,
                    bool replaces_all) {
  using Slots = typename Each::Slots;
  const Slots& slots = each.slots;
  u64* const outcomes = reset_counts(ex, label, counts);
  if (!inserts_by_order(n, slots.slot_count())) {
    auto* const memory = reinterpret_cast<u8*>(slots.layout().header());
    if (replaces_all) fill_bytes(ex, label, memory, slots.memory_bytes(), 0);
    for_each_prefetched(ex, label, n, each, outcomes);
    return;
  }
  ScratchArena::Frame frame(ex.scratch);
  u32* occupied = frame.template allocate<u32>(1);
  if (replaces_all) {
    fill_bytes(ex, label, occupied, 1, 0);
    fill_bytes(ex, label, slots.layout().header(), 1, 0);
  } else {
    any_of(ex, label, slots.slot_count(), SlotIsTaken<Slots>{slots}, occupied);
  }
  sort_and_insert(ex, label, n, each, occupied, replaces_all, outcomes);
}

}  // namespace copse::detail
