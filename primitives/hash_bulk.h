#pragma once

// Bulk calls: calls on a hash table for arrays of keys. They run in order on the context's stream, and are the
// same for every kind of table: HashMap, HashSet, BidirectionalMap and BidirectionalSet. They are compiled for
// keys of 4 bytes with values of 0 or 4 bytes, and for keys of 8 bytes with values of 0, 4 or 8 bytes. For tables
// of other sizes, use the templates at the end of this file.
//
// In all of them
//   keys:    any number; keys may repeat; at a multiple of 4 bytes
//   values:  as many as keys, at a multiple of 4 bytes; a set has none
//   results: empty, or as many as keys: the result for each key
//   counts:  empty, or one element: how many keys had each result
// Outputs must not overlap inputs or each other.
//
// Insertions and erasures may run at the same time, also together with the operations of threads (hash_view.h) on
// other streams. While find, contains, count_elements, retrieve_all or rehashed runs, nothing may change the
// table.
//
// Throws: Error invalid_argument if sizes do not match, or if a buffer overlaps another or is not aligned; Error
// out_of_memory.
// Memory: a large insertion into a table of more than 32 MiB copies keys and values to scratch, at most 2^27 of
// them at a time, if `results` is empty: see hash_insert_scratch_bytes. Cuckoo tables take 4 bytes more per pair. Other
// calls take no scratch unless they say so.

#include "primitives/hash_table.h"
#include "primitives/tables/hash_calls.h"

namespace copse {

/// Inserts the keys that the table does not hold. Keys that it holds keep their values. If `keys` holds a key
/// several times, any one of them is inserted and the others count as found. A key without room counts as full;
/// the table keeps its elements: see HashTable::check.
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

/// Inserts the keys that the table does not hold, and replaces the values of those that it holds. If `keys` holds
/// a key several times, the value of any one of them stays.
template <IsHashMap Table>
void insert_or_assign(Context& context, Table& table, BufferSpan<const typename Table::Key> keys,
                      BufferSpan<const typename Table::Value> values, BufferSpan<HashCounts> counts = {},
                      BufferSpan<InsertResult> results = {}) {
  detail::CallsOf<Table>::insert(context, {table.slots(), HashMode::assign, detail::word_span(keys),
                                           detail::word_span(values), counts, results});
}

/// Stores the value of each key, and whether the table holds the key.
///   values: as many as keys; zeros for keys that the table does not hold
///   found:  empty, or as many as keys: 1 or 0
template <IsHashMap Table>
void find(Context& context, const Table& table, BufferSpan<const typename Table::Key> keys,
          BufferSpan<typename Table::Value> values, BufferSpan<u8> found = {},
          BufferSpan<HashCounts> counts = {}) {
  detail::CallsOf<Table>::find(
      context, {table.slots(), detail::word_span(keys), detail::word_span(values), true, found, counts});
}

/// Stores whether the table holds each key, and how many of them it holds.
///   found: empty, or as many as keys: 1 or 0
template <IsHashTable Table>
void contains(Context& context, const Table& table, BufferSpan<const typename Table::Key> keys,
              BufferSpan<u8> found, BufferSpan<HashCounts> counts = {}) {
  detail::CallsOf<Table>::find(context, {table.slots(), detail::word_span(keys), {}, false, found, counts});
}

/// Erases keys. If `keys` holds a key several times, it counts as found once.
///   erased: empty, or as many as keys: 1 where this call erased the key, else 0
template <IsHashTable Table>
void erase(Context& context, Table& table, BufferSpan<const typename Table::Key> keys,
           BufferSpan<HashCounts> counts = {}, BufferSpan<u8> erased = {}) {
  detail::CallsOf<Table>::erase(context, {table.slots(), detail::word_span(keys), erased, counts});
}

/// Stores how many elements the table holds. Reads all slots.
///   count: one element
template <IsHashTable Table>
void count_elements(Context& context, const Table& table, BufferSpan<u64> count) {
  detail::CallsOf<Table>::count(context, {table.slots(), false, count});
}

/// Stores all elements, in any order, and how many there are.
///   keys, values: any size, the same for both; elements that do not fit are left out. A set has no values.
///   count:        one element: how many elements the table holds, also those left out
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

/// Returns how many elements the table holds.
/// Waits.
template <IsHashTable Table>
u64 size(Context& context, const Table& table) {
  Buffer<u64> count(context, 1);
  count_elements(context, table, count.span());
  return count.download()[0];
}

/// Returns how many slots are taken, by elements and by erased elements. Only rehashing and clearing free the
/// latter. Waits.
template <IsHashTable Table>
u64 used_slots(Context& context, const Table& table) {
  Buffer<u64> count(context, 1);
  detail::CallsOf<Table>::count(context, {table.slots(), true, count.span()});
  return count.download()[0];
}

/// Returns a table of another capacity that holds the elements of `table`. Erased elements take no slots in it.
/// Throws: Error out_of_memory. If `capacity` is too small, check() of the result throws.
template <IsHashTable Table>
Table rehashed(Context& context, const Table& table, u64 capacity) {
  Table result(context, capacity, table.options());
  detail::CallsOf<Table>::copy(context, {table.slots(), result.slots()});
  return result;
}

// The templates behind these calls, the same on both backends (primitives/cpu/hash.h, primitives/cuda/hash.cuh).
// They take keys and values of any type and size that HashView takes, as functions of the index. They work key by
// key on bidirectional tables too.
//
//   hash_insert(ex, label, view, n, keys, values, mode, counts, results)
//     `keys`: Key operator()(u64) const; `values`: Value operator()(u64) const. Both are host+device, and may be
//     called more than once for an index. `mode`: HashMode::keep or HashMode::assign. counts: null or a
//     HashCounts.
//     results: null, or n InsertResults.
//   hash_insert_scratch_bytes(ex, view, n)
//     Returns the scratch that hash_insert takes without results.
//   hash_find(ex, label, view, n, keys, emit, counts)
//     Calls emit(i, result) for each key; the result is a FindResult.
//   hash_erase(ex, label, view, n, keys, erased, counts)
//     `erased`: null, or n flags.
//   hash_for_each(ex, label, view, f)
//     Calls f(key, value) for each element.

}  // namespace copse
