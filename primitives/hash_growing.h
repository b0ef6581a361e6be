#pragma once

#include "primitives/hash_bulk.h"

namespace copse {

/// A hash map or set that grows. Before an insertion that might exceed the capacity, it moves its elements into a
/// new table of at least twice the capacity. If only erased elements fill the table, the new one has the same
/// capacity. Threads use view() of the current table, which cannot grow while they do: call reserve() first. Keys
/// and values have the sizes of hash_bulk.h.
template <HashKey Key_, HashValue Value_, template <u32, u32> class Slots_>
class GrowingHashTable {
 public:
  using Table = HashTable<Key_, Value_, Slots_>;
  using Key = Key_;
  using Value = Value_;

  /// Throws: Error invalid_argument for options out of range; Error out_of_memory.
  explicit GrowingHashTable(Context& context, u64 capacity = 1024, const HashTableOptions& options = {})
      : table_(context, capacity, options) {}

  /// Returns the current table, for find, erase and the other calls. Valid until the next insertion or reserve().
  const Table& table() const { return table_; }
  Table& table() { return table_; }
  typename Table::View view() const { return table_.view(); }

  /// Makes room for `count` more elements, so that threads can insert them. Later calls count them as inserted.
  /// Throws: Error out_of_memory; Error capacity if options.max_probes leaves an element without a slot. In both
  /// cases the table stays as it was.
  /// Waits: if the elements inserted since the last look, and these, might exceed the capacity.
  void reserve(Context& context, u64 count) {
    const u64 room = table_.capacity() - used_at_most_;
    if (count > room) make_room(context, count);
    used_at_most_ += count;
  }

  /// Inserts as copse::insert, and has room for all keys.
  /// Throws, waits: as reserve.
  void insert(Context& context, BufferSpan<const Key> keys, BufferSpan<const Value> values,
              BufferSpan<HashCounts> counts = {}, BufferSpan<InsertResult> results = {}) requires(!Table::is_set) {
    reserve(context, keys.size());
    copse::insert(context, table_, keys, values, counts, results);
  }
  void insert(Context& context, BufferSpan<const Key> keys, BufferSpan<HashCounts> counts = {},
              BufferSpan<InsertResult> results = {}) requires(Table::is_set) {
    reserve(context, keys.size());
    copse::insert(context, table_, keys, counts, results);
  }

  /// Inserts or assigns as copse::insert_or_assign, and has room for all keys.
  /// Throws, waits: as reserve.
  void insert_or_assign(Context& context, BufferSpan<const Key> keys, BufferSpan<const Value> values,
                        BufferSpan<HashCounts> counts = {},
                        BufferSpan<InsertResult> results = {}) requires(!Table::is_set) {
    reserve(context, keys.size());
    copse::insert_or_assign(context, table_, keys, values, counts, results);
  }

  /// Empties the table; the capacity stays.
  void clear() {
    table_.clear();
    used_at_most_ = 0;
  }

 private:
  /// Counts the slots that are taken, and grows if too few are left.
  void make_room(Context& context, u64 count) {
    const u64 used = used_slots(context, table_);
    if (used <= table_.capacity() && count <= table_.capacity() - used) {
      used_at_most_ = used;
      return;
    }
    const u64 elements = size(context, table_);
    const u64 needed = elements + count;
    u64 capacity = table_.capacity();
    if (needed > capacity) capacity = larger(needed, 2 * capacity);
    Table grown = rehashed(context, table_, capacity);
    grown.check();
    table_ = std::move(grown);
    used_at_most_ = elements;
  }

  Table table_;
  u64 used_at_most_ = 0;  // upper bound of the slots taken; never above the capacity
};

template <HashKey Key, HashValue Value>
using GrowingHashMap = GrowingHashTable<Key, Value, detail::LinearSlots>;
template <HashKey Key>
using GrowingHashSet = GrowingHashTable<Key, NoValue, detail::LinearSlots>;

}  // namespace copse
