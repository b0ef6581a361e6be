#pragma once

// The bulk calls of hash tables as templates on the executor; contract: hash_bulk.h.
//
// Insertion into a table larger than the caches first splits keys and values by the part of the table where their
// homes are, in no order, and then inserts part after part: of each 32 bytes that come from memory, all keys that
// belong there make use. Places keep the order of hashes, so that a part is a range of hashes.
// bench: copse-bench-primitives, hash/insert.

#include "primitives/hash_view.h"
#include "primitives/tables/hash_steps.h"

namespace copse {

namespace detail {

inline constexpr u64 min_bytes_to_split = u64{32} << 20;
inline constexpr u64 max_pairs_at_once = u64{1} << 27;
inline constexpr u64 max_hash_parts = 256;

/// How many parts an insertion of n elements splits them into; 1: none.
template <class Executor, class Slots>
u64 hash_part_count(const Executor& ex, const Slots& slots, u64 n) {
  const u64 bytes = slots.memory_bytes();
  // Fewer keys than lines of the cache have theirs for themselves.
  if (bytes < min_bytes_to_split || n < bytes / 128) return 1;
  return smaller(divide_rounding_up(bytes, hash_part_bytes(ex)), max_hash_parts);
}

constexpr u32 pair_alignment(u32 bytes) {
  return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
}

template <class Slots, u32 value_bytes = Slots::value_bytes>
struct alignas(pair_alignment(Slots::key_bytes + value_bytes)) HashPair {
  typename Slots::Key key;
  typename Slots::Value words;

  COPSE_HD HashPair(const typename Slots::Key& k, const typename Slots::Value& v) : key(k), words(v) {}
  HashPair() = default;
  COPSE_HD typename Slots::Value value() const { return words; }
};
template <class Slots>
struct alignas(pair_alignment(Slots::key_bytes)) HashPair<Slots, 0> {
  typename Slots::Key key;

  COPSE_HD HashPair(const typename Slots::Key& k, const Words<0>&) : key(k) {}
  HashPair() = default;
  COPSE_HD Words<0> value() const { return {}; }
};

/// The pairs from `first` on.
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
  COPSE_HD auto operator()(u64 i) const { return pairs[i].value(); }
};

/// All keys of an array, by looks where the slots have them.
template <class Executor, class Slots, class Keys, class Values>
void insert_each(const Executor& ex, const char* label, const Slots& slots, u64 n, const Keys& keys,
                 const Values& values, HashMode mode, u64* counts, InsertResult* results) {
  if constexpr (HasLooks<Slots>) {
    for_each_interleaved(ex, label, n, InsertLooks<Slots, Keys, Values>{slots, keys, values, mode, results},
                         counts);
  } else {
    for_each_prefetched(ex, label, n, InsertSteps<Slots, Keys, Values>{slots, keys, values, mode, results},
                        counts);
  }
}
template <class Executor, class Slots, class Keys, class Emit>
void find_each(const Executor& ex, const char* label, const Slots& slots, u64 n, const Keys& keys,
               const Emit& emit, u64* counts) {
  if constexpr (HasLooks<Slots>) {
    for_each_interleaved(ex, label, n, FindLooks<Slots, Keys, Emit>{slots, keys, emit}, counts);
  } else {
    for_each_prefetched(ex, label, n, FindSteps<Slots, Keys, Emit>{slots, keys, emit}, counts);
  }
}
template <class Executor, class Slots, class Keys>
void erase_each(const Executor& ex, const char* label, const Slots& slots, u64 n, const Keys& keys, u8* erased,
                u64* counts) {
  if constexpr (HasLooks<Slots>) {
    for_each_interleaved(ex, label, n, EraseLooks<Slots, Keys>{slots, keys, erased}, counts);
  } else {
    for_each_prefetched(ex, label, n, EraseSteps<Slots, Keys>{slots, keys, erased}, counts);
  }
}

template <class Executor>
u64* reset_counts(const Executor& ex, const char* label, HashCounts* counts) {
  if (counts != nullptr) fill_bytes(ex, label, counts, 1, 0);
  return reinterpret_cast<u64*>(counts);
}

/// Inserts part after part.
template <class Executor, class Slots, class Keys, class Values>
void insert_in_parts(const Executor& ex, const char* label, const Slots& slots, u64 n, const Keys& keys,
                     const Values& values, HashMode mode, u64* counts) {
  using Pair = HashPair<Slots>;
  ScratchArena::Frame frame(ex.scratch);
  auto* pairs = frame.allocate<Pair>(smaller(n, max_pairs_at_once));
  const u64 part_count = hash_part_count(ex, slots, n);
  for (u64 first = 0; first < n; first += max_pairs_at_once) {
    const u64 count = smaller(n - first, max_pairs_at_once);
    split_unordered(ex, label, count, PairAt<Slots, Keys, Values>{keys, values, first},
                    PartOfPair<Slots>{part_count}, u32(part_count), pairs, static_cast<u64*>(nullptr));
    insert_each(ex, label, slots, count, KeyOfPair<Slots>{pairs}, ValueOfPair<Slots>{pairs}, mode, counts,
                static_cast<InsertResult*>(nullptr));
  }
}

/// Keys and values as words.
template <class Executor, class Slots, class Keys, class Values>
void insert_words(const Executor& ex, const char* label, const Slots& slots, u64 n, const Keys& keys,
                  const Values& values, HashMode mode, HashCounts* counts, InsertResult* results) {
  u64* const outcomes = reset_counts(ex, label, counts);
  if (results == nullptr && hash_part_count(ex, slots, n) > 1) {
    insert_in_parts(ex, label, slots, n, keys, values, mode, outcomes);
  } else {
    insert_each(ex, label, slots, n, keys, values, mode, outcomes, results);
  }
}

template <class Executor, class Slots>
u64 insert_words_scratch_bytes(const Executor& ex, const Slots& slots, u64 n) {
  const u64 part_count = hash_part_count(ex, slots, n);
  const u64 count = smaller(n, max_pairs_at_once);
  if (part_count == 1) return 0;
  return ScratchArena::bytes_for<HashPair<Slots>>(count) +
         split_scratch_bytes<HashPair<Slots>>(ex, count, u32(part_count));
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
  insert_words(ex, label, view.table(), n, detail::WordsOfInput<Keys>{keys}, detail::WordsOfInput<Values>{values},
               mode, counts, results);
}

/// Contract: primitives/hash_bulk.h.
template <class Executor, class View>
u64 hash_insert_scratch_bytes(const Executor& ex, const View& view, u64 n) {
  return insert_words_scratch_bytes(ex, view.table(), n);
}

/// Contract: primitives/hash_bulk.h.
template <class Executor, class View, class Keys, class Emit>
void hash_find(const Executor& ex, const char* label, const View& view, u64 n, const Keys& keys, const Emit& emit,
               HashCounts* counts) {
  using Words = detail::WordsOfInput<Keys>;
  detail::find_each(ex, label, view.table(), n, Words{keys}, detail::EmitFound<View, Emit>{emit},
                    detail::reset_counts(ex, label, counts));
}

/// Contract: primitives/hash_bulk.h.
template <class Executor, class View, class Keys>
void hash_erase(const Executor& ex, const char* label, const View& view, u64 n, const Keys& keys, u8* erased,
                HashCounts* counts) {
  using Words = detail::WordsOfInput<Keys>;
  detail::erase_each(ex, label, view.table(), n, Words{keys}, erased, detail::reset_counts(ex, label, counts));
}

/// Contract: primitives/hash_bulk.h.
template <class Executor, class View, class F>
void hash_for_each(const Executor& ex, const char* label, const View& view, const F& f) {
  for_each(ex, label, view.slot_count(), detail::VisitSlot<View, F>{view, f});
}

}  // namespace copse
