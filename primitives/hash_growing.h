#pragma once

#include "primitives/hash_bulk.h"

namespace copse {

/// A hash map or set that grows: before an insertion that might pass its capacity, it moves its elements into a
/// table of at least twice the capacity, or into one of the same where erased elements alone fill it up.
/// Threads take view() of the table that stands, which never grows by itself: reserve() first.
template <HashKey Key_, HashValue Value_, template <u32, u32> class Slots_>
class GrowingHashTable {
 public:
  using Table = HashTable<Key_, Value_, Slots_>;
  using Key = Key_;
  using Value = Value_;

  /// Throws: Error invalid_argument for options out of range; Error out_of_memory.
  explicit GrowingHashTable(Context& context, u64 capacity = 1024, const HashTableOptions& options = {})
      : table_(context, capacity, options) {}

  /// What finds, erasures and the rest take. Good until the next insertion or reserve().
  const Table& table() const { return table_; }
  Table& table() { return table_; }
  typename Table::View view() const { return table_.view(); }

  /// Makes room for `count` elements more than there are, for threads to insert. The next calls take them as
  /// inserted.
  /// Throws: Error out_of_memory, and then the table stays as it was; Error capacity where options.max_probes
  /// leaves an element without a slot, and then too.
  /// Waits, where as many were inserted since it last looked as might pass the capacity.
  void reserve(Context& context, u64 count) {
    const u64 room = table_.capacity() - used_at_most_;
    if (count > room) make_room(context, count);
    used_at_most_ += count;
  }

  /// As insert, with room for all keys.
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

  /// As insert_or_assign, with room for all keys.
  /// Throws, waits: as reserve.
  void insert_or_assign(Context& context, BufferSpan<const Key> keys, BufferSpan<const Value> values,
                        BufferSpan<HashCounts> counts = {},
                        BufferSpan<InsertResult> results = {}) requires(!Table::is_set) {
    reserve(context, keys.size());
    copse::insert_or_assign(context, table_, keys, values, counts, results);
  }

  /// Makes it empty; the capacity stays.
  void clear() {
    table_.clear();
    used_at_most_ = 0;
  }

 private:
  /// Looks how many slots are taken, and grows where that leaves too few.
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
  u64 used_at_most_ = 0;  // slots, never above the capacity
};

template <HashKey Key, HashValue Value>
using GrowingHashMap = GrowingHashTable<Key, Value, detail::LinearSlots>;
template <HashKey Key>
using GrowingHashSet = GrowingHashTable<Key, NoValue, detail::LinearSlots>;

}  // namespace copse
