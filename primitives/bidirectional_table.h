#pragma once

// Hash maps and sets with bidirectional linear probing: elements stand in the order of their hashes. They have the
// calls of hash_bulk.h and the views of hash_view.h, with the same contracts unless this page says otherwise.

#include "primitives/hash_bulk.h"
#include "primitives/tables/bidirectional_slots.h"

namespace copse {

/// A hash map whose elements stand in the order of their hashes. Compared with HashMap (figures:
/// bench/notes/hash-tables.md):
/// - A search costs the same whether the table holds the key or not, at any load. A load of 0.95 is usual.
/// - A bulk insertion into an empty table costs the same at any load up to 1. It makes the same table on all
///   backends and in every run: of equal keys, it keeps the first, or the last if values are assigned.
/// - An erased element leaves no trace: its slot is free again.
/// - Insertions, assignments and erasures of single keys take locks. Their time grows with the square of
///   1 / (1 - load), without bound at a load of 1: above a load of 0.9, insert in bulk. Threads that assign to the
///   same key wait for each other.
/// - A walk over all slots may visit an element twice or not at all while other threads insert or erase.
///
/// options.bucket_bytes has no effect. options.max_probes limits how far from the key's home the ends of its run
/// may be when a single key is inserted. It does not limit searches, erasures or bulk insertions. A bulk search
/// must not run while another stream changes the table; searches of single keys may.
/// Memory: per slot, 8 bytes for keys of 4 bytes with values of up to 4, 4 bytes without values; for other sizes 4
/// bytes, and key and value in whole words. Also 8 bytes per 64 slots, and 1.3 KiB per table. The number of slots
/// is a multiple of 64. Bulk insertions of at least 1024 keys, of at least a 16th as many keys as slots and of at
/// most 2^32 - 1 keys take scratch: 12 bytes per key, and that of a radix sort of pairs. Smaller and larger ones
/// insert the keys one by one.
template <HashKey Key, HashValue Value>
using BidirectionalMap = HashTable<Key, Value, detail::BidirectionalSlots>;
template <HashKey Key>
using BidirectionalSet = HashTable<Key, NoValue, detail::BidirectionalSlots>;

template <class Table>
concept IsBidirectional = requires {
  typename Table::Slots::Layout;
};

/// Makes a table hold these keys and no others. This is the fastest way to fill a table, since it need not be
/// cleared or read before. Arguments, errors and scratch are those of insert; keys without room count as full.
template <class Table>
requires(IsHashMap<Table>&& IsBidirectional<Table>) void build(Context& context, Table& table,
                                                               BufferSpan<const typename Table::Key> keys,
                                                               BufferSpan<const typename Table::Value> values,
                                                               BufferSpan<HashCounts> counts = {},
                                                               BufferSpan<InsertResult> results = {}) {
  detail::CallsOf<Table>::insert(context, {table.slots(), HashMode::keep, detail::word_span(keys),
                                           detail::word_span(values), counts, results, true});
}
template <class Table>
requires(IsHashSet<Table>&& IsBidirectional<Table>) void build(Context& context, Table& table,
                                                               BufferSpan<const typename Table::Key> keys,
                                                               BufferSpan<HashCounts> counts = {},
                                                               BufferSpan<InsertResult> results = {}) {
  detail::CallsOf<Table>::insert(
      context, {table.slots(), HashMode::keep, detail::word_span(keys), {}, counts, results, true});
}

}  // namespace copse
