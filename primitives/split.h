#pragma once

#include <cstddef>

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

inline constexpr u32 max_split_buckets = 65536;

/// Splits values, indices or records into buckets: those of bucket 0 first, then those of bucket 1, and so on.
/// Stable: what falls into one bucket keeps its order. Equal on all backends. (Patidar, Narayanan, "Scalable
/// Split and Gather Primitives for the GPU", 2009.)
///   buckets:     the bucket of each value, below bucket_count; larger ones count as the last bucket
///   bucket_count: 1 to 65536
///   values, records: as many as buckets; out must not overlap in nor buckets
///   offsets:     empty, or bucket_count + 1 numbers: where each bucket begins in the output, and the end
/// split_index stores indices instead: element k of the output is element indices_out[k] of the input, the
/// gather index of the split. Of at most 2^32 elements.
/// split_records moves records of 1 to 65536 bytes, each once.
/// Throws: Error invalid_argument for sizes that do not fit each other, a bucket count or record size out of
/// range, or output that overlaps input; Error out_of_memory.
/// Memory: scratch, see split_scratch_bytes.
/// With your own types and bucket functions: primitives/cpu/split.h, primitives/cuda/split.cuh.
void split(Context& context, BufferSpan<const u32> buckets, u32 bucket_count, BufferSpan<const u32> values_in,
           BufferSpan<u32> values_out, BufferSpan<u64> offsets = {});
void split_index(Context& context, BufferSpan<const u32> buckets, u32 bucket_count, BufferSpan<u32> indices_out,
                 BufferSpan<u64> offsets = {});
void split_records(Context& context, BufferSpan<const u32> buckets, u32 bucket_count,
                   BufferSpan<const std::byte> records_in, u64 record_bytes, BufferSpan<std::byte> records_out,
                   BufferSpan<u64> offsets = {});

// The templates behind them, the same on both backends:
//
//   split(ex, label, n, input, bucket_of, bucket_count, out, offsets)
//     `input`: Item operator()(u64) const, Item trivially copyable of at most 32 bytes; `bucket_of`:
//     u32 operator()(Item) const, below bucket_count; both host+device, called several times for each i, and they
//     must not read the output. out: n items. offsets: null, or as above.
//
//   split_index(ex, label, n, bucket_of, bucket_count, indices_out, offsets)
//     `bucket_of`: u32 operator()(u64) const, of the index.
//
//   split_unordered(ex, label, n, input, bucket_of, bucket_count, out, offsets)
//     As split, of at most 256 buckets and 2^32 - 1 items; the order in a bucket is any, and may differ from run
//     to run.
//
//   split_scratch_bytes<Item>(ex, n, bucket_count), split_index_scratch_bytes(ex, n, bucket_count)
//     The scratch that they take; split_unordered takes that of split.

}  // namespace copse
