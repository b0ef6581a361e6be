#pragma once

#include <cstddef>

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Gathers records of `record_bytes` bytes: record i of `out` becomes record indices[i] of `in`.
///   in:      whole records, any number, may be empty
///   indices: any size, may be empty, in any order, repeated or not; u32 or u64. For an index past the last
///            record, the record of `out` does not change
///   out:     a record for each index; must not overlap `in` or `indices`
///   record_bytes: 1 to 65536, the same for all records, which follow each other without gaps. Fastest for
///            multiples of 16 at 16-byte aligned addresses, then of 8, then of 4
/// Throws: Error invalid_argument if sizes do not fit each other, if a record size is out of range, or if output
/// overlaps input.
/// Memory: no scratch.
/// With your own type and index function: primitives/cpu/gather.h, primitives/cuda/gather.cuh.
COPSE_API void gather(Context& context, BufferSpan<const std::byte> in, u64 record_bytes,
                      BufferSpan<const u32> indices, BufferSpan<std::byte> out);
COPSE_API void gather(Context& context, BufferSpan<const std::byte> in, u64 record_bytes,
                      BufferSpan<const u64> indices, BufferSpan<std::byte> out);

/// Scatters records of `record_bytes` bytes: record indices[i] of `out` becomes record i of `in`. Records of
/// `out` that no index names do not change.
///   in:      a record for each index
///   indices: any size, may be empty, in any order; u32 or u64. Records with an index past the last record of
///            `out` are dropped. The other indices must differ; two equal ones leave a mix of two records
///   out:     whole records, any number; must not overlap `in` or `indices`
///   record_bytes: as in gather
/// Throws: as in gather.
/// Memory: no scratch.
COPSE_API void scatter(Context& context, BufferSpan<const std::byte> in, u64 record_bytes,
                       BufferSpan<const u32> indices, BufferSpan<std::byte> out);
COPSE_API void scatter(Context& context, BufferSpan<const std::byte> in, u64 record_bytes,
                       BufferSpan<const u64> indices, BufferSpan<std::byte> out);

// The templates behind them, on either executor:
//
//   gather(ex, label, n, in, index, out)    out[i] = in[index(i)]
//   scatter(ex, label, n, in, index, out)   out[index(i)] = in[i]
//     For T of any trivially copyable type. `index`: u32 or u64 operator()(u64) const, host+device, called once
//     for each i. An index of all ones (invalid_id for u32) means no record: nothing is moved. Other indices are
//     not checked. `out` must not overlap what is read.
//
//   gather_records(ex, label, n, in, record_bytes, index, out)
//   scatter_records(ex, label, n, in, record_bytes, index, out)
//     As gather and scatter, for records of 1 to 65536 bytes whose size is known only at run time.

}  // namespace copse
