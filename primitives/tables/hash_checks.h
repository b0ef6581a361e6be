#pragma once

// What hash_calls.h checks and dispatches, for any kind of slots: a table's .cpp file instantiates it.

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/core/error.h"
#include "primitives/tables/hash_body.h"

namespace copse::detail {

/// Keys and values are read as words.
template <class T>
void check_hash_words(const char* what, BufferSpan<T> span) {
  if (reinterpret_cast<u64>(span.data()) % sizeof(u32) == 0) return;
  throw Error(ErrorCode::invalid_argument, std::string("hash table: ") + what + " at address " +
                                               std::to_string(reinterpret_cast<u64>(span.data())) +
                                               ", a multiple of 4 is needed");
}

/// As many as `expected`.
template <class T>
void check_hash_size(const char* what, BufferSpan<T> span, u64 expected) {
  if (span.size() == expected) return;
  throw Error(ErrorCode::invalid_argument, "hash table: " + std::to_string(span.size()) + " " + what + " for " +
                                               std::to_string(expected) + " keys");
}
template <class T>
void check_hash_size_or_empty(const char* what, BufferSpan<T> span, u64 expected) {
  if (!span.empty()) check_hash_size(what, span, expected);
}

template <class T>
void check_hash_counts(BufferSpan<T> counts, u64 least) {
  if (counts.size() >= least && counts.size() <= 1) return;
  throw Error(ErrorCode::invalid_argument,
              "hash table: counts of " + std::to_string(counts.size()) + " elements, 1 is needed");
}

template <class T, class U>
void check_hash_apart(BufferSpan<T> a, BufferSpan<U> b) {
  if (overlap(a, b)) throw Error(ErrorCode::invalid_argument, "hash table: an output overlaps another buffer");
}

template <class T>
T* data_or_null(BufferSpan<T> span) {
  return span.empty() ? nullptr : span.data();
}

template <class Slots>
void check_hash_insertion(KeySpan<Slots> keys, ConstValueSpan<Slots> values, BufferSpan<HashCounts> counts,
                          BufferSpan<InsertResult> results) {
  check_hash_words("keys", keys);
  check_hash_words("values", values);
  if (Slots::value_bytes > 0) check_hash_size("values", values, keys.size());
  check_hash_size_or_empty("results", results, keys.size());
  check_hash_counts(counts, 0);
  check_hash_apart(keys, results);
  check_hash_apart(values, results);
  check_hash_apart(keys, counts);
  check_hash_apart(values, counts);
  check_hash_apart(results, counts);
}

template <class Slots>
void hash_insert_words(Context& context, const Slots& slots, HashMode mode, KeySpan<Slots> keys,
                       ConstValueSpan<Slots> values, BufferSpan<HashCounts> counts,
                       BufferSpan<InsertResult> results) {
  check_hash_insertion<Slots>(keys, values, counts, results);
  dispatch(context, [&](const auto& ex) {
    hash_insert_body(ex, slots, keys.size(), keys.data(), values.data(), mode, data_or_null(counts),
                     data_or_null(results));
  });
}

template <class Slots>
void hash_find_words(Context& context, const Slots& slots, KeySpan<Slots> keys, ValueSpan<Slots> values,
                     bool wants_values, BufferSpan<u8> found, BufferSpan<HashCounts> counts) {
  check_hash_words("keys", keys);
  check_hash_words("values", values);
  if (wants_values) check_hash_size("values", values, keys.size());
  check_hash_size_or_empty("flags", found, keys.size());
  check_hash_counts(counts, 0);
  check_hash_apart(keys, values);
  check_hash_apart(keys, found);
  check_hash_apart(keys, counts);
  check_hash_apart(values, found);
  check_hash_apart(values, counts);
  check_hash_apart(found, counts);
  dispatch(context, [&](const auto& ex) {
    hash_find_body(ex, slots, keys.size(), keys.data(), data_or_null(values), data_or_null(found),
                   data_or_null(counts));
  });
}

template <class Slots>
void hash_erase_words(Context& context, const Slots& slots, KeySpan<Slots> keys, BufferSpan<u8> erased,
                      BufferSpan<HashCounts> counts) {
  check_hash_words("keys", keys);
  check_hash_size_or_empty("flags", erased, keys.size());
  check_hash_counts(counts, 0);
  check_hash_apart(keys, erased);
  check_hash_apart(keys, counts);
  check_hash_apart(erased, counts);
  dispatch(context, [&](const auto& ex) {
    hash_erase_body(ex, slots, keys.size(), keys.data(), data_or_null(erased), data_or_null(counts));
  });
}

template <class Slots>
void hash_count(Context& context, const Slots& slots, BufferSpan<u64> count) {
  check_hash_counts(count, 1);
  dispatch(context, [&](const auto& ex) { hash_count_body(ex, slots, count.data()); });
}

template <class Slots>
void hash_used(Context& context, const Slots& slots, BufferSpan<u64> count) {
  check_hash_counts(count, 1);
  dispatch(context, [&](const auto& ex) { hash_used_body(ex, slots, count.data()); });
}

template <class Slots>
void hash_retrieve_words(Context& context, const Slots& slots, BufferSpan<Words<Slots::key_bytes>> keys,
                         ValueSpan<Slots> values, BufferSpan<u64> count) {
  check_hash_words("keys", keys);
  check_hash_words("values", values);
  if (Slots::value_bytes > 0) check_hash_size("values", values, keys.size());
  check_hash_counts(count, 1);
  check_hash_apart(keys, values);
  check_hash_apart(keys, count);
  check_hash_apart(values, count);
  dispatch(context, [&](const auto& ex) {
    hash_retrieve_body(ex, slots, keys.data(), values.data(), keys.size(), count.data());
  });
}

template <class Slots>
void hash_copy(Context& context, const Slots& from, const Slots& to) {
  dispatch(context, [&](const auto& ex) { hash_copy_body(ex, from, to); });
}

}  // namespace copse::detail

#define COPSE_HASH_CALLS(Slots_, key_bytes, value_bytes)                                                     \
  template void hash_insert_words(                                                                           \
      Context&, const Slots_<key_bytes, value_bytes>&, HashMode, KeySpan<Slots_<key_bytes, value_bytes>>,    \
      ConstValueSpan<Slots_<key_bytes, value_bytes>>, BufferSpan<HashCounts>, BufferSpan<InsertResult>);     \
  template void hash_find_words(                                                                             \
      Context&, const Slots_<key_bytes, value_bytes>&, KeySpan<Slots_<key_bytes, value_bytes>>,              \
      ValueSpan<Slots_<key_bytes, value_bytes>>, bool, BufferSpan<u8>, BufferSpan<HashCounts>);              \
  template void hash_erase_words(Context&, const Slots_<key_bytes, value_bytes>&,                            \
                                 KeySpan<Slots_<key_bytes, value_bytes>>, BufferSpan<u8>,                    \
                                 BufferSpan<HashCounts>);                                                    \
  template void hash_count(Context&, const Slots_<key_bytes, value_bytes>&, BufferSpan<u64>);                \
  template void hash_used(Context&, const Slots_<key_bytes, value_bytes>&, BufferSpan<u64>);                 \
  template void hash_retrieve_words(Context&, const Slots_<key_bytes, value_bytes>&,                         \
                                    BufferSpan<Words<key_bytes>>, ValueSpan<Slots_<key_bytes, value_bytes>>, \
                                    BufferSpan<u64>);                                                        \
  template void hash_copy(Context&, const Slots_<key_bytes, value_bytes>&, const Slots_<key_bytes, value_bytes>&);
