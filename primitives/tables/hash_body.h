#pragma once

#include "primitives/core/executor.h"
#include "primitives/tables/hash_calls.h"

namespace copse::detail {

/// Arrays may be null where nobody asks for them.
template <class Executor, class Slots>
void hash_insert_body(const Executor& ex, const Slots& slots, u64 n, const Words<Slots::key_bytes>* keys,
                      const Words<Slots::value_bytes>* values, HashMode mode, HashCounts* counts,
                      InsertResult* results);
template <class Executor, class Slots>
void hash_find_body(const Executor& ex, const Slots& slots, u64 n, const Words<Slots::key_bytes>* keys,
                    Words<Slots::value_bytes>* values, u8* found, HashCounts* counts);
template <class Executor, class Slots>
void hash_erase_body(const Executor& ex, const Slots& slots, u64 n, const Words<Slots::key_bytes>* keys,
                     u8* erased, HashCounts* counts);
template <class Executor, class Slots>
void hash_count_body(const Executor& ex, const Slots& slots, u64* count);
template <class Executor, class Slots>
void hash_used_body(const Executor& ex, const Slots& slots, u64* count);
template <class Executor, class Slots>
void hash_retrieve_body(const Executor& ex, const Slots& slots, Words<Slots::key_bytes>* keys,
                        Words<Slots::value_bytes>* values, u64 capacity, u64* count);
template <class Executor, class Slots>
void hash_copy_body(const Executor& ex, const Slots& from, const Slots& to);

}  // namespace copse::detail

/// Calls macro(Slots, key_bytes, value_bytes) for the sizes that are compiled.
#define COPSE_FOR_HASH_SIZES(macro, Slots) \
  macro(Slots, 4, 0) macro(Slots, 4, 4) macro(Slots, 8, 0) macro(Slots, 8, 4) macro(Slots, 8, 8)
