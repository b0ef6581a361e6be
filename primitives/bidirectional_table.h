#pragma once

// Hash maps and sets with bidirectional linear probing: elements stand in the order of their hashes. They have the
// calls of hash_bulk.h and the views of hash_view.h, and the contracts there, but for what this page says.

#include "primitives/hash_bulk.h"
#include "primitives/tables/bidirectional_slots.h"

namespace copse {

/// Against HashMap (bench/notes/hash-tables.md has the figures):
/// - searches for keys that are not there cost as much as for those that are, at any load; a load of 0.95 is usual
/// - a bulk insertion into an empty table costs the same at any load, up to 1, and leaves the same table on all
///   backends and in every run: of equal keys the first is kept, and where values are assigned, the last
/// - an erased element leaves no trace: its slot is free again
/// - single keys are inserted, assigned and erased under locks, whose time grows with the square of 1 / (1 -
/// load),
///   to no bound at a load of 1: above 0.9, insert in bulk. Many threads that assign to one key wait for each
///   other
/// - a walk over all slots while others insert or erase may meet an element twice or not at all
///
/// options.bucket_bytes changes nothing. options.max_probes: how far from its home the ends of a key's run may be
/// for a single key to be inserted; it does not bound searches, erasures nor bulk insertions.
/// Bulk searches must not run while another stream changes the table; searches of single keys may.
/// Memory: 8 bytes a slot for keys of 4 bytes with values of up to 4, 4 without value; else 4, and key and value
/// in whole words; for 64 slots 8 bytes, in all 1.3 KiB. The number of slots is a multiple of 64. Bulk insertions
/// of at least a 16th as many keys as slots, and of at most 2^32 - 1, take scratch: 12 bytes a key and that of a
/// radix sort of pairs. All others are inserted one by one.
template <HashKey Key, HashValue Value>
using BidirectionalMap = HashTable<Key, Value, detail::BidirectionalSlots>;
template <HashKey Key>
using BidirectionalSet = HashTable<Key, NoValue, detail::BidirectionalSlots>;

template <class Table>
concept IsBidirectional = requires {
  typename Table::Slots::Layout;
};

/// Makes a table hold these keys, and nothing that it held before: the fastest way to fill one, for it neither has
/// to be cleared nor looked at. Arguments, errors and scratch as those of insert; keys without room count as full.
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
