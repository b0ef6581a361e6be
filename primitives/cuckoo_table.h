#pragma once

// Cuckoo hash maps and sets: single threads insert at loads above 0.9. They have the calls of hash_bulk.h and the
// views of hash_view.h, with the same contracts unless this page says otherwise.

#include "primitives/core/counted.h"
#include "primitives/core/error.h"
#include "primitives/hash_bulk.h"
#include "primitives/tables/cuckoo_slots.h"

namespace copse {

/// A hash map in which each key has two buckets of 64 bytes, and one in a small stash. Key and value take at most 8
/// bytes together. Compared with HashMap (figures: bench/notes/hash-tables.md):
/// - A search looks at two buckets at most, whatever the load, and at the stash if the table ever needed it. A load
///   of 0.9 to 0.95 is usual.
/// - Threads insert single keys at such loads as fast as in bulk. An element moves at most once, so a search never
///   misses one that moves.
/// - The slot of an erased element is used again.
/// - A key can be refused while slots are free, if its buckets and those of its neighbours are full. At loads up to
///   0.95 that does not happen to random keys. `rebuilt` then makes a table with other hash functions.
/// - Assignments to keys that are there, erasures, and insertions past a full bucket take a lock of one bit.
/// - A walk over all slots may visit an element twice while other threads insert.
///
/// options.bucket_bytes and options.max_probes have no effect. options.seed chooses the hash functions.
/// Memory: per slot, 8 bytes, or 4 for keys of 4 bytes without values; a byte per bucket, and 256 bytes per table. The
/// stash has one slot in 128.
template <HashKey Key, HashValue Value>
using CuckooMap = HashTable<Key, Value, detail::CuckooSlots>;
template <HashKey Key>
using CuckooSet = HashTable<Key, NoValue, detail::CuckooSlots>;

template <class Table>
concept IsCuckoo = IsHashTable<Table> && requires {
  Table::Slots::bucket_groups;
};

/// Returns a table with other hash functions that holds the elements of `table` and takes as many. Use it where a key
/// was refused, and insert that key again. It tries up to 16 seeds.
/// Throws: Error capacity if some element found no room with any of them; Error out_of_memory.
/// Waits.
template <IsCuckoo Table>
Table rebuilt(Context& context, const Table& table) {
  constexpr u32 max_tries = 16;
  HashTableOptions options = table.options();
  for (u32 k = 0; k < max_tries; ++k) {
    ++options.seed;
    Table result(context, table.capacity(), options);
    detail::CallsOf<Table>::copy(context, {table.slots(), result.slots()});
    if (result.refused() == 0) return result;
  }
  throw Error(ErrorCode::capacity, "cuckoo table: the elements found no room in " +
                                       detail::counted(table.slot_count(), "slots") + " with any of " +
                                       detail::counted(max_tries, "seeds") + "; make it for a higher capacity");
}

}  // namespace copse
