#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/flags.h"

namespace copse {

/// Stores the running sums of each segment of `in`: of its elements up to the element, with it (inclusive) or
/// without (exclusive, 0 at a segment's start).
///   in:     any size, may be empty
///   starts: one flag an element, set where a segment starts: bytes, set where not 0, or bits. Element 0 starts
///           one in any case.
///   out:    as many elements; may be `in` itself, must not overlap it otherwise, nor `starts`
/// Integers wrap around. For T of u32, u64, i32, i64.
/// Throws: Error invalid_argument where sizes do not fit or buffers overlap, Error out_of_memory.
/// Memory: scratch of at most 40 bytes for each 1024 elements, plus 1 KiB.
/// With your own input function and operator: primitives/cpu/segmented_scan.h,
/// primitives/cuda/segmented_scan.cuh.
template <class T>
void segmented_inclusive_scan(Context& context, BufferSpan<const T> in, BufferSpan<const u8> starts,
                              BufferSpan<T> out);
template <class T>
void segmented_inclusive_scan(Context& context, BufferSpan<const T> in, BitSpan starts, BufferSpan<T> out);
template <class T>
void segmented_exclusive_scan(Context& context, BufferSpan<const T> in, BufferSpan<const u8> starts,
                              BufferSpan<T> out);
template <class T>
void segmented_exclusive_scan(Context& context, BufferSpan<const T> in, BitSpan starts, BufferSpan<T> out);

/// The same, segments told by the numbers of the elements at which they start.
///   offsets: in any order, equal ones for empty segments; those at or past the end of `in` are not looked at,
///            so that the end of the last segment may stand among them. Elements before the first offset are a
///            segment of their own. Must not overlap `out`.
/// Memory: a bit an element more.
template <class T>
void segmented_inclusive_scan_by_offsets(Context& context, BufferSpan<const T> in, BufferSpan<const u64> offsets,
                                         BufferSpan<T> out);
template <class T>
void segmented_exclusive_scan_by_offsets(Context& context, BufferSpan<const T> in, BufferSpan<const u64> offsets,
                                         BufferSpan<T> out);

// The templates behind them, the same on both backends:
//
//   segmented_inclusive_scan(ex, label, n, starts, input, op, out)
//     out[i] = input(s) op .. op input(i), s being the last start of a segment at or before i.
//   segmented_exclusive_scan(ex, label, n, starts, input, init, op, out)
//     out[i] = init op input(s) op .. op input(i - 1), init at a start.
//     `starts`: bool operator()(u64) const, called for elements above 0; ByteFlags and BitFlags (flags.h) are
//     read in whole words. `input` and `op` as in scan.h. T: trivially copyable, of at most 24 bytes.
//     Both input and starts may be called more than once for an index, always before its output is written.
//
//   segmented_scan_scratch_bytes<T>(ex, n)
//     The scratch that either takes.
//
//   start_bits(ex, label, n, offsets, segment_count, words)
//     Sets bit i of the (n + 31) / 32 words where a segment starts at i, and clears the others. `offsets`: a
//     pointer to u32 or u64.

}  // namespace copse
