#pragma once

#include <cstddef>

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

inline constexpr u32 max_split_buckets = 65536;

/// Splits values, indices or records into buckets: first those of bucket 0, then those of bucket 1, and so on.
/// Stable: the elements of a bucket keep their order. Equal on all backends. (Patidar, Narayanan, "Scalable
/// Split and Gather Primitives for the GPU", 2009.)
///   buckets:     the bucket of each value, below bucket_count; larger ones count as the last bucket
///   bucket_count: 1 to 65536
///   values, records: as many as buckets; the output must not overlap the input or the buckets
///   offsets:     empty, or bucket_count + 1 numbers: where each bucket begins in the output, and the end
/// split_index stores the gather index of the split: element k of the output is element indices_out[k] of the
/// input. It takes at most 2^32 elements. split_records moves records of 1 to 65536 bytes, each once.
/// Throws: Error invalid_argument if sizes do not fit each other, if a bucket count or record size is out of
/// range, or if output overlaps input; Error out_of_memory.
/// Memory: scratch, see split_scratch_bytes.
/// With your own types and bucket functions: primitives/cpu/split.h, primitives/cuda/split.cuh.
COPSE_API void split(Context& context, BufferSpan<const u32> buckets, u32 bucket_count,
                     BufferSpan<const u32> values_in, BufferSpan<u32> values_out, BufferSpan<u64> offsets = {});
COPSE_API void split_index(Context& context, BufferSpan<const u32> buckets, u32 bucket_count,
                           BufferSpan<u32> indices_out, BufferSpan<u64> offsets = {});
COPSE_API void split_records(Context& context, BufferSpan<const u32> buckets, u32 bucket_count,
                             BufferSpan<const std::byte> records_in, u64 record_bytes,
                             BufferSpan<std::byte> records_out, BufferSpan<u64> offsets = {});

// The templates behind them, on either executor:
//
//   split(ex, label, n, input, bucket_of, bucket_count, out, offsets)
//     `input`: Item operator()(u64) const, Item trivially copyable of at most 32 bytes; `bucket_of`: u32
//     operator()(Item) const, below bucket_count. Both are host+device, are called several times for each i, and
//     must not read the output. out: n items. offsets: null, or as above.
//
//   split_index(ex, label, n, bucket_of, bucket_count, indices_out, offsets)
//     `bucket_of`: u32 operator()(u64) const, of the index.
//
//   split_unordered(ex, label, n, input, bucket_of, bucket_count, out, offsets)
//     As split, for at most 256 buckets and 2^32 - 1 items. The order in a bucket is arbitrary and may differ from
//     run to run.
//
//   split_scratch_bytes<Item>(ex, n, bucket_count), split_index_scratch_bytes(ex, n, bucket_count)
//     The scratch that they take; split_unordered takes as much as split.

}  // namespace copse
