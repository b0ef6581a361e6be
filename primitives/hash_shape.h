#pragma once

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse {

/// Options of all hash tables.
struct HashTableOptions {
  /// The share of slots that are taken when the table holds its capacity: above 0, at most 1. A higher load makes
  /// the table smaller and searches longer: bench/notes/hash-tables.md has the figures.
  float max_load = 0.8f;

  /// Size of a bucket: 32, 64 or 128 bytes. A search starts at the beginning of a bucket. Larger buckets touch
  /// fewer places of memory at a high load, but look at more slots at a low load.
  u32 bucket_bytes = 32;

  /// Maximum slots that a search looks at; 0: all slots. A key without room among them is refused.
  u64 max_probes = 0;

  /// Chooses the hash functions of a cuckoo table: any number. Other tables ignore it.
  u32 seed = 0;
};

namespace detail {

/// The layout of a table in memory.
struct HashShape {
  u64 slot_count = 0;
  u32 bucket_slots = 0;
  u64 max_probes = 0;
  u64 bytes = 0;
  u32 seed = 0;
};

/// The start of a table's memory, for every kind of slots.
struct alignas(256) HashHeader {
  u64 refused;   // keys that found no room since the table was cleared
  u64 cells[2];  // for the two keys that no slot can hold
  u64 stashed;   // not 0 once a cuckoo table has put a key into its stash
  u64 unused[28];
};

/// Throws: Error invalid_argument for options out of range and for more than 2^48 slots.
COPSE_API void check_hash_options(u64 capacity, const HashTableOptions& options);

/// Returns the shape of a table. Searches look at `probed_bytes` of each slot; the other `record_bytes` lie apart.
COPSE_API HashShape hash_shape(u64 capacity, const HashTableOptions& options, u32 probed_bytes, u32 record_bytes);

inline constexpr u32 cuckoo_bucket_bytes = 64;

/// Returns the shape of a cuckoo table: buckets, those of the stash behind them, and a byte for each.
COPSE_API HashShape cuckoo_shape(u64 capacity, const HashTableOptions& options, u32 slot_bytes);

}  // namespace detail
}  // namespace copse
