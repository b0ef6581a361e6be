#pragma once

#include "primitives/core/types.h"

namespace copse {

struct HashTableOptions {
  /// The share of slots taken once the table holds its capacity, above 0, at most 1. More makes the table smaller
  /// and searches longer: bench/notes/hash-tables.md has the figures.
  float max_load = 0.8f;

  /// Searches start at multiples of so many bytes: 32, 64 or 128. Wider ones gather what is searched for in fewer
  /// places of memory at a high load, and look at more slots at a low one.
  u32 bucket_bytes = 32;

  /// A search looks at so many slots at most, and what has no room among them is refused; 0: at all slots.
  u64 max_probes = 0;
};

namespace detail {

/// How a table of slots lies in memory.
struct HashShape {
  u64 slot_count = 0;
  u32 bucket_slots = 0;
  u64 max_probes = 0;
  u64 bytes = 0;
};

/// The front of a table's memory, whatever its slots.
struct alignas(256) HashHeader {
  u64 refused;   // keys that found no room since the table was cleared
  u64 cells[2];  // for the keys that no slot can hold
  u64 unused[29];
};

/// Throws: Error invalid_argument for options out of range and for more than 2^48 slots.
void check_hash_options(u64 capacity, const HashTableOptions& options);

/// The shape of a table whose searches look at `probed_bytes` of each slot; the other `record_bytes` lie apart.
HashShape hash_shape(u64 capacity, const HashTableOptions& options, u32 probed_bytes, u32 record_bytes);

}  // namespace detail
}  // namespace copse
