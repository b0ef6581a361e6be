#pragma once

// The bodies behind hash_calls.h, for any kind of slots: a table's .inl file instantiates them for the sizes that
// are compiled.

#include "primitives/hash_templates.h"
#include "primitives/tables/hash_body.h"

namespace copse::detail {

template <class Executor, class Slots>
void hash_insert_body(const Executor& ex, const Slots& slots, u64 n, const Words<Slots::key_bytes>* keys,
                      const Words<Slots::value_bytes>* values, HashMode mode, HashCounts* counts,
                      InsertResult* results) {
  insert_words(ex, "hash: insert", slots, n, WordsAt<Slots::key_bytes>{keys}, WordsAt<Slots::value_bytes>{values},
               mode, counts, results);
}

template <class Executor, class Slots>
void hash_find_body(const Executor& ex, const Slots& slots, u64 n, const Words<Slots::key_bytes>* keys,
                    Words<Slots::value_bytes>* values, u8* found, HashCounts* counts) {
  find_each(ex, "hash: find", slots, n, WordsAt<Slots::key_bytes>{keys},
            StoreFound<Slots::value_bytes>{values, found}, reset_counts(ex, "hash: find", counts));
}

template <class Executor, class Slots>
void hash_erase_body(const Executor& ex, const Slots& slots, u64 n, const Words<Slots::key_bytes>* keys,
                     u8* erased, HashCounts* counts) {
  erase_each(ex, "hash: erase", slots, n, WordsAt<Slots::key_bytes>{keys}, erased,
             reset_counts(ex, "hash: erase", counts));
}

template <class Executor, class Slots>
void hash_count_body(const Executor& ex, const Slots& slots, u64* count) {
  count_if(ex, "hash: count", slots.visited_slots(), HoldsElement<Slots>{slots}, count);
}

template <class Executor, class Slots>
void hash_used_body(const Executor& ex, const Slots& slots, u64* count) {
  count_if(ex, "hash: used slots", slots.visited_slots(), IsUsed<Slots>{slots}, count);
}

template <class Executor, class Slots>
void hash_retrieve_body(const Executor& ex, const Slots& slots, Words<Slots::key_bytes>* keys,
                        Words<Slots::value_bytes>* values, u64 capacity, u64* count) {
  compact_each(ex, "hash: retrieve", slots.visited_slots(), HoldsElement<Slots>{slots},
               StoreElement<Slots>{slots, keys, values, capacity}, count);
}

template <class Executor, class Slots>
void hash_copy_body(const Executor& ex, const Slots& from, const Slots& to) {
  for_each(ex, "hash: copy", from.visited_slots(), CopySlot<Slots>{from, to});
}

}  // namespace copse::detail

#define COPSE_HASH_BODIES(Slots_, key_bytes, value_bytes)                                                         \
  template void hash_insert_body(const BodyExecutor&, const Slots_<key_bytes, value_bytes>&, u64,                 \
                                 const Words<key_bytes>*, const Words<value_bytes>*, HashMode, HashCounts*,       \
                                 InsertResult*);                                                                  \
  template void hash_find_body(const BodyExecutor&, const Slots_<key_bytes, value_bytes>&, u64,                   \
                               const Words<key_bytes>*, Words<value_bytes>*, u8*, HashCounts*);                   \
  template void hash_erase_body(const BodyExecutor&, const Slots_<key_bytes, value_bytes>&, u64,                  \
                                const Words<key_bytes>*, u8*, HashCounts*);                                       \
  template void hash_count_body(const BodyExecutor&, const Slots_<key_bytes, value_bytes>&, u64*);                \
  template void hash_used_body(const BodyExecutor&, const Slots_<key_bytes, value_bytes>&, u64*);                 \
  template void hash_retrieve_body(const BodyExecutor&, const Slots_<key_bytes, value_bytes>&, Words<key_bytes>*, \
                                   Words<value_bytes>*, u64, u64*);                                               \
  template void hash_copy_body(const BodyExecutor&, const Slots_<key_bytes, value_bytes>&,                        \
                               const Slots_<key_bytes, value_bytes>&);
