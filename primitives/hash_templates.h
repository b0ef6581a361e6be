#pragma once

// The bulk calls of hash tables as templates on the executor; contract: hash_bulk.h.
//
// An insertion into a table larger than the caches first splits keys and values by the part of the table that holds
// their homes, in any order. Then it inserts part after part: all keys of a part use each 32 bytes that come from
// memory. Places have the order of hashes, so a part is a range of hashes.
// bench: copse-bench-primitives, hash/insert.

#include "primitives/core/scratch_arena.h"
#include "primitives/hash_view.h"
#include "primitives/loops/for_each_interleaved.h"
#include "primitives/tables/hash_steps.h"

namespace copse {

namespace detail {

inline constexpr u64 min_bytes_to_split = u64{32} << 20;
inline constexpr u64 max_pairs_at_once = u64{1} << 27;
inline constexpr u64 max_hash_parts = 256;

/// Returns into how many parts an insertion splits its n elements; 1: it does not split.
template <class Executor, class Slots>
u64 hash_part_count(const Executor& ex, const Slots& slots, u64 n) {
  const u64 bytes = slots.memory_bytes();
  // If there are fewer keys than cache lines, each key has its line for itself.
  if (bytes < min_bytes_to_split || n < bytes / 128) return 1;
  return smaller(divide_rounding_up(bytes, hash_part_bytes(ex)), max_hash_parts);
}

constexpr u32 pair_alignment(u32 bytes) {
  return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
}

template <class Slots>
struct alignas(pair_alignment(Slots::key_bytes + Slots::value_bytes)) HashPair {
  typename Slots::Key key;
  [[no_unique_address]] typename Slots::Value value;  // of no bytes in a set
};

/// The input pairs from `first` on.
template <class Slots, class Keys, class Values>
struct PairAt {
  Keys keys;
  Values values;
  u64 first;
  COPSE_HD HashPair<Slots> operator()(u64 i) const { return {keys(first + i), values(first + i)}; }
};

template <class Slots>
struct PartOfPair {
  u64 part_count;
  COPSE_HD u32 operator()(const HashPair<Slots>& pair) const {
    return u32(place_of(hash_of(pair.key), part_count));
  }
};

template <class Slots>
struct KeyOfPair {
  const HashPair<Slots>* pairs;
  COPSE_HD auto operator()(u64 i) const { return pairs[i].key; }
};
template <class Slots>
struct ValueOfPair {
  const HashPair<Slots>* pairs;
  COPSE_HD auto operator()(u64 i) const { return pairs[i].value; }
};

template <class Executor>
u64* reset_counts(const Executor& ex, const char* label, HashCounts* counts) {
  if (counts != nullptr) fill_bytes(ex, label, counts, 1, 0);
  return reinterpret_cast<u64*>(counts);
}

/// Works on each of n keys, by looks if the slots have them.
template <class Executor, class Each>
void for_each_key(const Executor& ex, const char* label, u64 n, const Each& each, u64* counts) {
  if constexpr (HasLooks<typename Each::Slots>) {
    for_each_interleaved(ex, label, n, each, counts);
  } else {
    for_each_prefetched(ex, label, n, each, counts);
  }
}
/// The same, with counts that start at 0.
template <class Executor, class Each>
void for_each_key(const Executor& ex, const char* label, u64 n, const Each& each, HashCounts* counts) {
  for_each_key(ex, label, n, each, reset_counts(ex, label, counts));
}

/// Inserts n elements, at most 2^32. First those that need no lock: most of them, in steps that are short and need few
/// registers. Then the others. So the first buckets of all keys are filled before second ones take their slots.
template <class Executor, class Each>
void insert_deferring(const Executor& ex, const char* label, u64 n, const Each& each, u64* counts) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 word_count = divide_rounding_up(n, u64{32});
  u32* const deferred_bits = frame.allocate<u32>(word_count);
  u32* const ids = frame.allocate<u32>(n);
  u64* const deferred_count = frame.allocate<u64>(1);
  fill_bytes(ex, label, deferred_bits, word_count, 0);
  for_each_interleaved(ex, label, n, InsertOrDefer<Each>{each, deferred_bits}, counts);
  compact_each(ex, label, n, IsDeferred{deferred_bits}, ListDeferred{ids}, deferred_count);
  const InsertDeferred<Each> deferred{each, ids, deferred_count};
  for_each_interleaved(ex, label, deferred.padded(n), deferred, counts);
}

template <class Executor>
u64 insert_deferring_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u32>(divide_rounding_up(n, u64{32})) + ScratchArena::bytes_for<u32>(n) +
         ScratchArena::bytes_for<u64>(1) + compact_scratch_bytes<u32>(ex, n);
}

/// Splits the pairs into parts, and inserts part after part.
template <class Executor, class Slots, class Keys, class Values>
void insert_in_parts(const Executor& ex, const char* label, u64 n, const InsertEach<Slots, Keys, Values>& each,
                     u64* counts) {
  using Pair = HashPair<Slots>;
  static_assert(Slots::value_bytes > 0 || sizeof(Pair) == sizeof(typename Slots::Key));
  ScratchArena::Frame frame(ex.scratch);
  auto* pairs = frame.allocate<Pair>(smaller(n, max_pairs_at_once));
  const u64 part_count = hash_part_count(ex, each.slots, n);
  for (u64 first = 0; first < n; first += max_pairs_at_once) {
    const u64 count = smaller(n - first, max_pairs_at_once);
    split_unordered(ex, label, count, PairAt<Slots, Keys, Values>{each.keys, each.values, first},
                    PartOfPair<Slots>{part_count}, u32(part_count), pairs, static_cast<u64*>(nullptr));
    const InsertEach<Slots, KeyOfPair<Slots>, ValueOfPair<Slots>> of_pairs{
        each.slots, {pairs}, {pairs}, each.mode, nullptr};
    if constexpr (MayDeferKeys<Slots>) {
      insert_deferring(ex, label, count, of_pairs, counts);
    } else {
      for_each_key(ex, label, count, of_pairs, counts);
    }
  }
}

template <class Executor, class Each>
void insert_all(const Executor& ex, const char* label, u64 n, const Each& each, HashCounts* counts) {
  u64* const outcomes = reset_counts(ex, label, counts);
  if (each.results == nullptr && hash_part_count(ex, each.slots, n) > 1) {
    insert_in_parts(ex, label, n, each, outcomes);
  } else {
    for_each_key(ex, label, n, each, outcomes);
  }
}

template <class View, class F>
struct VisitSlot {
  View view;
  F f;
  COPSE_HD void operator()(u64 slot) const { view.for_slot(slot, f); }
};

}  // namespace detail

/// Contract: primitives/hash_bulk.h.
template <class Executor, class View, class Keys, class Values>
void hash_insert(const Executor& ex, const char* label, const View& view, u64 n, const Keys& keys,
                 const Values& values, HashMode mode, HashCounts* counts, InsertResult* results) {
  using KeyWords = detail::WordsOfInput<Keys>;
  using ValueWords = detail::WordsOfInput<Values>;
  const detail::InsertEach<typename View::Table, KeyWords, ValueWords> each{
      view.table(), {keys}, {values}, mode, results};
  detail::insert_all(ex, label, n, each, counts);
}

/// Contract: primitives/hash_bulk.h.
template <class Executor, class View>
u64 hash_insert_scratch_bytes(const Executor& ex, const View& view, u64 n) {
  using Pair = detail::HashPair<typename View::Table>;
  const u64 part_count = detail::hash_part_count(ex, view.table(), n);
  const u64 count = smaller(n, detail::max_pairs_at_once);
  if (part_count == 1) return 0;
  u64 bytes = split_scratch_bytes<Pair>(ex, count, u32(part_count));
  if constexpr (detail::MayDeferKeys<typename View::Table>) {
    bytes = larger(bytes, detail::insert_deferring_scratch_bytes(ex, count));
  }
  return ScratchArena::bytes_for<Pair>(count) + bytes;
}

/// Contract: primitives/hash_bulk.h.
template <class Executor, class View, class Keys, class Emit>
void hash_find(const Executor& ex, const char* label, const View& view, u64 n, const Keys& keys, const Emit& emit,
               HashCounts* counts) {
  using Words = detail::WordsOfInput<Keys>;
  using EmitWords = detail::EmitFound<View, Emit>;
  const detail::FindEach<typename View::Table, Words, EmitWords> each{view.table(), {keys}, {emit}};
  detail::for_each_key(ex, label, n, each, counts);
}

/// Contract: primitives/hash_bulk.h.
template <class Executor, class View, class Keys>
void hash_erase(const Executor& ex, const char* label, const View& view, u64 n, const Keys& keys, u8* erased,
                HashCounts* counts) {
  const detail::EraseEach<typename View::Table, detail::WordsOfInput<Keys>> each{view.table(), {keys}, erased};
  detail::for_each_key(ex, label, n, each, counts);
}

/// Contract: primitives/hash_bulk.h.
template <class Executor, class View, class F>
void hash_for_each(const Executor& ex, const char* label, const View& view, const F& f) {
  for_each(ex, label, view.slot_count(), detail::VisitSlot<View, F>{view, f});
}

}  // namespace copse
