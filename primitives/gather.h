#pragma once

#include <cstddef>

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Gathers records of `record_bytes` bytes: record i of `out` becomes record indices[i] of `in`.
///   in:      whole records, any number, may be empty
///   indices: any size, may be empty, in any order, repeated or not; u32 or u64. An index past the last record
///            leaves its record of `out` as it is
///   out:     a record for each index; must not overlap `in` nor `indices`
///   record_bytes: 1 to 65536, the same for all records; nothing between them. Fastest for multiples of 16 at
///            16-byte aligned addresses, then of 8, then of 4
/// Throws: Error invalid_argument for sizes that do not fit each other, a record size out of range or output
/// that overlaps input.
/// Memory: no scratch.
/// With your own type and index function: primitives/cpu/gather.h, primitives/cuda/gather.cuh.
void gather(Context& context, BufferSpan<const std::byte> in, u64 record_bytes, BufferSpan<const u32> indices,
            BufferSpan<std::byte> out);
void gather(Context& context, BufferSpan<const std::byte> in, u64 record_bytes, BufferSpan<const u64> indices,
            BufferSpan<std::byte> out);

/// Scatters records of `record_bytes` bytes: record indices[i] of `out` becomes record i of `in`. Records of
/// `out` that no index names stay as they are.
///   in:      a record for each index
///   indices: any size, may be empty, in any order; u32 or u64. No two alike but those past the last record of
///            `out`, whose records go nowhere; where two are alike, the record there is a mix of theirs
///   out:     whole records, any number; must not overlap `in` nor `indices`
///   record_bytes: as for gather
/// Throws: as gather.
/// Memory: no scratch.
void scatter(Context& context, BufferSpan<const std::byte> in, u64 record_bytes, BufferSpan<const u32> indices,
             BufferSpan<std::byte> out);
void scatter(Context& context, BufferSpan<const std::byte> in, u64 record_bytes, BufferSpan<const u64> indices,
             BufferSpan<std::byte> out);

// The templates behind them, the same on both backends:
//
//   gather(ex, label, n, in, index, out)    for T of any trivially copyable type:
//   scatter(ex, label, n, in, index, out)   out[i] = in[index(i)], and out[index(i)] = in[i].
//     `index`: u32 or u64 operator()(u64) const, host+device, called once for each i. All ones (invalid_id for
//     u32) is no record: nothing is moved. Nothing else is checked. `out` must not overlap what is read.
//
//   gather_records(ex, label, n, in, record_bytes, index, out)
//   scatter_records(ex, label, n, in, record_bytes, index, out)
//     The same for records of a size that is known at run time alone, 1 to 65536 bytes, at const void* and void*.

}  // namespace copse
