#pragma once

// What the calls of hash_bulk.h come to: keys and values as words. For each kind of slots, a .cpp file
// instantiates hash_instances.h for the sizes that are listed here.

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/hash_result.h"
#include "primitives/tables/hash_words.h"

namespace copse {

/// What an insertion does with the value of a key that is there.
enum class HashMode : u8 { keep, assign };

namespace detail {

template <class T>
BufferSpan<const Words<word_bytes<T>>> word_span(BufferSpan<const T> span) {
  return {reinterpret_cast<const Words<word_bytes<T>>*>(span.data()), span.size()};
}
template <class T>
BufferSpan<Words<word_bytes<T>>> word_span(BufferSpan<T> span) {
  return {reinterpret_cast<Words<word_bytes<T>>*>(span.data()), span.size()};
}

template <class Slots>
using KeySpan = BufferSpan<const Words<Slots::key_bytes>>;
template <class Slots>
using ValueSpan = BufferSpan<Words<Slots::value_bytes>>;
template <class Slots>
using ConstValueSpan = BufferSpan<const Words<Slots::value_bytes>>;

template <class Slots>
void hash_insert_words(Context& context, const Slots& slots, HashMode mode, KeySpan<Slots> keys,
                       ConstValueSpan<Slots> values, BufferSpan<HashCounts> counts,
                       BufferSpan<InsertResult> results);

/// `values` may be empty where `found` or `counts` is asked for.
template <class Slots>
void hash_find_words(Context& context, const Slots& slots, KeySpan<Slots> keys, ValueSpan<Slots> values,
                     bool wants_values, BufferSpan<u8> found, BufferSpan<HashCounts> counts);

template <class Slots>
void hash_erase_words(Context& context, const Slots& slots, KeySpan<Slots> keys, BufferSpan<u8> erased,
                      BufferSpan<HashCounts> counts);

template <class Slots>
void hash_count(Context& context, const Slots& slots, BufferSpan<u64> count);

/// Slots that are taken, if only by elements that were erased.
template <class Slots>
void hash_used(Context& context, const Slots& slots, BufferSpan<u64> count);

template <class Slots>
void hash_retrieve_words(Context& context, const Slots& slots, BufferSpan<Words<Slots::key_bytes>> keys,
                         ValueSpan<Slots> values, BufferSpan<u64> count);

/// Inserts the elements of `from` into `to`.
template <class Slots>
void hash_copy(Context& context, const Slots& from, const Slots& to);

}  // namespace detail
}  // namespace copse
