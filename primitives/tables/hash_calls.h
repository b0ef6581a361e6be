#pragma once

// The bulk calls of hash_bulk.h, one struct for each, with keys and values as words. hash_dispatch.h checks a call
// and hands it to the body of the context's backend (hash_bodies.h). hash_tables.cpp compiles the checks for all kinds
// of tables. Each kind has an .inl file that compiles the bodies.

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/hash_result.h"
#include "primitives/tables/hash_words.h"

namespace copse {

/// Whether an insertion keeps or assigns the value of a key that the table already holds.
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

/// True for the sizes whose bulk calls the library has compiled.
constexpr bool is_compiled_hash_size(u32 key_bytes, u32 value_bytes) {
  return (key_bytes == 4 || key_bytes == 8) && (value_bytes == 0 || value_bytes == 4 || value_bytes == 8) &&
         value_bytes <= key_bytes;
}

/// The bulk calls on tables with these slots. Spans may be empty where hash_bulk.h says so.
template <class Slots>
struct HashCalls {
  static_assert(
      is_compiled_hash_size(Slots::key_bytes, Slots::value_bytes),
      "Bulk calls on hash tables are compiled for keys of 4 bytes with values of 0 or 4 bytes, and for keys "
      "of 8 bytes with values of 0, 4 or 8 bytes. The sizes of this table are the numbers in HashCalls<...>. For "
      "them, call hash_insert, hash_find, hash_erase and hash_for_each (primitives/cpu/hash.h and "
      "primitives/cuda/hash.cuh), or the operations of the table's view().");
  using Key = typename Slots::Key;
  using Value = typename Slots::Value;

  struct Insert {
    Slots slots;
    HashMode mode;
    BufferSpan<const Key> keys;
    BufferSpan<const Value> values;
    BufferSpan<HashCounts> counts;
    BufferSpan<InsertResult> results;
    bool replaces_all = false;  // of bidirectional tables alone: they lose what they held before
  };
  struct Find {
    Slots slots;
    BufferSpan<const Key> keys;
    BufferSpan<Value> values;
    bool wants_values;  // else `values` is empty
    BufferSpan<u8> found;
    BufferSpan<HashCounts> counts;
  };
  struct Erase {
    Slots slots;
    BufferSpan<const Key> keys;
    BufferSpan<u8> erased;
    BufferSpan<HashCounts> counts;
  };
  struct Count {
    Slots slots;
    bool with_erased;  // also the slots that only erased elements take
    BufferSpan<u64> count;
  };
  struct Retrieve {
    Slots slots;
    BufferSpan<Key> keys;
    BufferSpan<Value> values;
    BufferSpan<u64> count;
  };
  /// Inserts the elements of one table into another.
  struct Copy {
    Slots from, to;
  };

  static void insert(Context& context, const Insert& call);
  static void find(Context& context, const Find& call);
  static void erase(Context& context, const Erase& call);
  static void count(Context& context, const Count& call);
  static void retrieve(Context& context, const Retrieve& call);
  static void copy(Context& context, const Copy& call);

  template <class Executor>
  struct Bodies {
    static void insert(const Executor& ex, const Insert& call);
    static void find(const Executor& ex, const Find& call);
    static void erase(const Executor& ex, const Erase& call);
    static void count(const Executor& ex, const Count& call);
    static void retrieve(const Executor& ex, const Retrieve& call);
    static void copy(const Executor& ex, const Copy& call);
  };
};

template <class Table>
using CallsOf = HashCalls<typename Table::Slots>;

}  // namespace detail
}  // namespace copse
