#pragma once

// Calls on a hash table for arrays of keys, in order on the context's stream, the same for every kind of table:
// HashMap, HashSet and their bidirectional siblings. They are compiled for keys of 4 bytes with values of 0 and 4
// bytes, and for keys of 8 bytes with values of 0, 4 and 8. Tables of other sizes take the templates at the end.
//
// In all of them
//   keys:    any number, may repeat; at a multiple of 4 bytes
//   values:  as many as keys, at a multiple of 4 bytes; a set has none
//   results: empty, or as many as keys: what became of each
//   counts:  empty, or one element: what the call came to in all
// Outputs must not overlap inputs nor each other.
//
// Insertions and erasures may run beside each other and beside the operations of threads (hash_view.h) on other
// streams. While find, contains, count_elements, retrieve_all or rehashed run, nothing may change the table.
//
// Throws: Error invalid_argument for sizes that do not fit, buffers that overlap or do not begin where they must;
// Error out_of_memory.
// Memory: many insertions into a table of more than 32 MiB take scratch for keys and values, of at most 2^27 of
// them at a time, where `results` is empty; see hash_insert_scratch_bytes. The others take none but where they say
// so.

#include "primitives/hash_table.h"
#include "primitives/tables/hash_calls.h"

namespace copse {

/// Inserts keys that are not there, and leaves the values of those that are. Of equal keys among `keys` one is
/// inserted, any of them; the others count as found. Keys that find no room count as full, and the table keeps
/// what it holds: see HashTable::check.
template <IsHashMap Table>
void insert(Context& context, Table& table, BufferSpan<const typename Table::Key> keys,
            BufferSpan<const typename Table::Value> values, BufferSpan<HashCounts> counts = {},
            BufferSpan<InsertResult> results = {}) {
  detail::CallsOf<Table>::insert(context, {table.slots(), HashMode::keep, detail::word_span(keys),
                                           detail::word_span(values), counts, results});
}
template <IsHashSet Table>
void insert(Context& context, Table& table, BufferSpan<const typename Table::Key> keys,
            BufferSpan<HashCounts> counts = {}, BufferSpan<InsertResult> results = {}) {
  detail::CallsOf<Table>::insert(context,
                                 {table.slots(), HashMode::keep, detail::word_span(keys), {}, counts, results});
}

/// Inserts keys that are not there, and replaces the values of those that are. Of equal keys among `keys`, any one
/// leaves its value.
template <IsHashMap Table>
void insert_or_assign(Context& context, Table& table, BufferSpan<const typename Table::Key> keys,
                      BufferSpan<const typename Table::Value> values, BufferSpan<HashCounts> counts = {},
                      BufferSpan<InsertResult> results = {}) {
  detail::CallsOf<Table>::insert(context, {table.slots(), HashMode::assign, detail::word_span(keys),
                                           detail::word_span(values), counts, results});
}

/// Stores the value of each key, zeros for keys that are not there, and whether it is there.
///   values: as many as keys
///   found:  empty, or as many as keys: 1 or 0
template <IsHashMap Table>
void find(Context& context, const Table& table, BufferSpan<const typename Table::Key> keys,
          BufferSpan<typename Table::Value> values, BufferSpan<u8> found = {},
          BufferSpan<HashCounts> counts = {}) {
  detail::CallsOf<Table>::find(
      context, {table.slots(), detail::word_span(keys), detail::word_span(values), true, found, counts});
}

/// Stores whether each key is there, 1 or 0, and how many are.
///   found: empty, or as many as keys
template <IsHashTable Table>
void contains(Context& context, const Table& table, BufferSpan<const typename Table::Key> keys,
              BufferSpan<u8> found, BufferSpan<HashCounts> counts = {}) {
  detail::CallsOf<Table>::find(context, {table.slots(), detail::word_span(keys), {}, false, found, counts});
}

/// Erases keys. Of equal keys one counts as found.
///   erased: empty, or as many as keys: 1 where the key was there
template <IsHashTable Table>
void erase(Context& context, Table& table, BufferSpan<const typename Table::Key> keys,
           BufferSpan<HashCounts> counts = {}, BufferSpan<u8> erased = {}) {
  detail::CallsOf<Table>::erase(context, {table.slots(), detail::word_span(keys), erased, counts});
}

/// Stores how many elements the table holds: reads all slots.
///   count: one element
template <IsHashTable Table>
void count_elements(Context& context, const Table& table, BufferSpan<u64> count) {
  detail::CallsOf<Table>::count(context, {table.slots(), false, count});
}

/// Stores all elements, in any order, and how many there are.
///   keys, values: of equal size, which may be any; what goes past their end is left out. A set has no values.
///   count:        one element: how many the table holds
/// Memory: the scratch of compact_each over the slots.
template <IsHashMap Table>
void retrieve_all(Context& context, const Table& table, BufferSpan<typename Table::Key> keys,
                  BufferSpan<typename Table::Value> values, BufferSpan<u64> count) {
  detail::CallsOf<Table>::retrieve(context,
                                   {table.slots(), detail::word_span(keys), detail::word_span(values), count});
}
template <IsHashSet Table>
void retrieve_all(Context& context, const Table& table, BufferSpan<typename Table::Key> keys,
                  BufferSpan<u64> count) {
  detail::CallsOf<Table>::retrieve(context, {table.slots(), detail::word_span(keys), {}, count});
}

/// How many elements the table holds. Waits.
template <IsHashTable Table>
u64 size(Context& context, const Table& table) {
  Buffer<u64> count(context, 1);
  count_elements(context, table, count.span());
  return count.download()[0];
}

/// How many slots are taken: by elements, and by erased ones that no rehashing has cleared away. Waits.
template <IsHashTable Table>
u64 used_slots(Context& context, const Table& table) {
  Buffer<u64> count(context, 1);
  detail::CallsOf<Table>::count(context, {table.slots(), true, count.span()});
  return count.download()[0];
}

/// A table of another capacity that holds the elements of `table`, without the slots that erased ones left used.
/// Throws: Error out_of_memory. Where `capacity` is too small, the result's check() tells.
template <IsHashTable Table>
Table rehashed(Context& context, const Table& table, u64 capacity) {
  Table result(context, capacity, table.options());
  detail::CallsOf<Table>::copy(context, {table.slots(), result.slots()});
  return result;
}

// The templates behind them, the same on both backends (primitives/cpu/hash.h, primitives/cuda/hash.cuh), for keys
// and values of any type and size that a HashView takes, as functions of the index:
//
//   hash_insert(ex, label, view, n, keys, values, mode, counts, results)
//     `keys`: Key operator()(u64) const, `values`: Value operator()(u64) const, both host+device, and may be
//     called more than once; `mode`: HashMode::keep or HashMode::assign; counts: null or a HashCounts; results:
//     null, or n InsertResults.
//   hash_insert_scratch_bytes(ex, view, n)
//     The scratch it takes.
//   hash_find(ex, label, view, n, keys, emit, counts)
//     Calls emit(i, result), a FindResult, for each key.
//   hash_erase(ex, label, view, n, keys, erased, counts)
//   hash_for_each(ex, label, view, f)
//     Calls f(key, value) for each element.

}  // namespace copse
