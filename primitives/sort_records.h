#pragma once

#include <cstddef>

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/radix_key.h"

namespace copse {

/// Sorts whole records by a key inside each record: sorts their indices, then moves each record once
/// (SortLargeRecords of Patidar, Narayanan, "Scalable Split and Gather Primitives for the GPU", 2009). Stable;
/// equal on all backends.
///   records_in:   whole records, up to 2^32, may be empty, at any alignment
///   record_bytes: 1 to 65536, the same for all
///   key_offset:   the byte of the record at which the key begins; the whole key lies in the record
///   records_out:  as many; must not overlap records_in
///   bits, order:  as in radix_sort_keys; a key of 6 bytes is a u64 of which bits 0 to 48 count
/// For Key of u32, u64, i32, i64, float, double.
/// Throws: Error invalid_argument if sizes, offsets or bits are out of range, or if output overlaps input; Error
/// out_of_memory.
/// Memory: scratch of about 24 bytes per record for keys of 4 bytes, 36 for keys of 8.
template <class Key>
void sort_records(Context& context, BufferSpan<const std::byte> records_in, u64 record_bytes, u64 key_offset,
                  BufferSpan<std::byte> records_out, BitRange bits = all_bits<Key>,
                  SortOrder order = SortOrder::ascending);

}  // namespace copse
