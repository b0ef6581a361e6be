#pragma once

// Hash maps and sets in a context's memory. Kernels take view(), and insert, find and erase one key at a time
// (hash_view.h). hash_bulk.h has the calls for arrays of keys; hash_growing.h has a map that grows.

#include "primitives/core/buffer.h"
#include "primitives/core/counted.h"
#include "primitives/core/device.h"
#include "primitives/core/error.h"
#include "primitives/hash_shape.h"
#include "primitives/hash_view.h"

namespace copse {

/// Owns a table of keys of 4 to 16 bytes and values of 0 to 16 bytes, of any types. It can hold every key and
/// every value. It takes its memory at construction: a table does not grow, and refuses keys that find no room.
/// Erased elements of a HashMap or HashSet still take their slots until rehashed() or clear(). Therefore the table
/// never holds a key twice, whichever insertions and erasures run at the same time.
template <HashKey Key_, HashValue Value_, template <u32, u32> class Slots_>
class HashTable {
 public:
  using Key = Key_;
  using Value = Value_;
  using Slots = Slots_<detail::word_bytes<Key>, detail::word_bytes<Value>>;
  using View = HashView<Key, Value, Slots>;
  static constexpr bool is_set = View::is_set;

  HashTable() = default;

  /// Makes an empty table with room for `capacity` elements at a load of options.max_load.
  /// Throws: Error invalid_argument for options out of range; Error out_of_memory.
  /// Memory: bytes_for(capacity, options).
  HashTable(Context& context, u64 capacity, const HashTableOptions& options = {})
      : context_(&context),
        capacity_(capacity),
        options_(options),
        shape_(Slots::shape(capacity, options)),
        memory_(context, shape_.bytes) {
    clear();
  }

  /// Returns the view that kernels and for_each functors take by value. Valid until the table is destroyed or
  /// moved.
  View view() const { return View(slots()); }

  /// Returns the number of elements that the table was made for. It takes more, up to the number of its slots.
  u64 capacity() const { return capacity_; }
  u64 slot_count() const { return shape_.slot_count; }
  u64 memory_bytes() const { return shape_.bytes; }
  const HashTableOptions& options() const { return options_; }

  static u64 bytes_for(u64 capacity, const HashTableOptions& options = {}) {
    return Slots::shape(capacity, options).bytes;
  }

  /// Empties the table, in order on the stream.
  void clear() { context_->device().clear(memory_.data(), memory_.size()); }

  /// Returns how many keys bulk calls and threads could not insert for lack of room, since the table was made or
  /// cleared.
  /// Waits.
  u64 refused() const {
    u64 count = 0;
    context_->device().download(&count, memory_.data(), sizeof count);
    return count;
  }

  /// Checks that no key was refused. The table keeps its elements in either case.
  /// Throws: Error capacity if a key was refused.
  /// Waits.
  void check() const {
    const u64 count = refused();
    if (count == 0) return;
    throw Error(ErrorCode::capacity, "hash table: " + detail::counted(count, "keys") + " found no room in " +
                                         detail::counted(slot_count(), "slots") +
                                         "; the table was made for a capacity of " + std::to_string(capacity()));
  }

  /// Returns the slots, as bulk calls take them.
  Slots slots() const { return Slots(const_cast<u8*>(memory_.data()), shape_); }

 private:
  Context* context_ = nullptr;
  u64 capacity_ = 0;
  HashTableOptions options_;
  detail::HashShape shape_;
  Buffer<u8> memory_;
};

template <class Table>
concept IsHashTable = requires(const Table& table) {
  typename Table::Slots;
  typename Table::View;
  table.view();
  table.slots();
};
template <class Table>
concept IsHashSet = IsHashTable<Table> && Table::is_set;
template <class Table>
concept IsHashMap = IsHashTable<Table> && !Table::is_set;

/// Tables with linear probing: the default choice.
template <HashKey Key, HashValue Value>
using HashMap = HashTable<Key, Value, detail::LinearSlots>;
template <HashKey Key>
using HashSet = HashTable<Key, NoValue, detail::LinearSlots>;

}  // namespace copse
