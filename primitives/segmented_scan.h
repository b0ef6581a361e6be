#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/flags.h"
#include "primitives/input_span.h"

namespace copse {

/// Stores the running sums within each segment of `in`: for each element the sum of the segment up to it, with the
/// element (inclusive) or without it (exclusive, 0 at the start of a segment).
///   in:     any size, may be empty
///   starts: one flag per element, set if a segment starts there: bytes, set if not 0, or bits. Element 0 always
///           starts a segment.
///   out:    as many elements; may be `in` itself, must not overlap it otherwise; must not overlap `starts`
/// Integers wrap around. For T of u32, u64, i32, i64.
/// Throws: Error invalid_argument if sizes do not fit or buffers overlap, Error out_of_memory.
/// Memory: scratch of at most 40 bytes for each 1024 elements, plus 1 KiB.
/// With your own input function and operator: primitives/cpu/segmented_scan.h,
/// primitives/cuda/segmented_scan.cuh.
template <class T>
void segmented_inclusive_scan(Context& context, InputSpan<T> in, BufferSpan<const u8> starts, BufferSpan<T> out);
template <class T>
void segmented_inclusive_scan(Context& context, InputSpan<T> in, BitSpan starts, BufferSpan<T> out);
template <class T>
void segmented_exclusive_scan(Context& context, InputSpan<T> in, BufferSpan<const u8> starts, BufferSpan<T> out);
template <class T>
void segmented_exclusive_scan(Context& context, InputSpan<T> in, BitSpan starts, BufferSpan<T> out);

/// As above, with segments given by the numbers of the elements at which they start.
///   offsets: in any order; equal ones mean empty segments. Offsets at or past the end of `in` are ignored, so the
///            end of the last segment may be among them. Elements before the first offset form a segment. Must not
///            overlap `out`.
/// Memory: one bit per element more.
template <class T>
void segmented_inclusive_scan_by_offsets(Context& context, InputSpan<T> in, BufferSpan<const u64> offsets,
                                         BufferSpan<T> out);
template <class T>
void segmented_exclusive_scan_by_offsets(Context& context, InputSpan<T> in, BufferSpan<const u64> offsets,
                                         BufferSpan<T> out);

// The templates behind them, on either executor:
//
//   segmented_inclusive_scan(ex, label, n, starts, input, op, out)
//     out[i] = input(s) op .. op input(i), where s is the last start of a segment at or before i.
//   segmented_exclusive_scan(ex, label, n, starts, input, init, op, out)
//     out[i] = init op input(s) op .. op input(i - 1); init at a start.
//     `starts`: bool operator()(u64) const, called for elements above 0; ByteFlags and BitFlags (flags.h) are
//     read in whole words. `input` and `op` as in scan.h. T: trivially copyable, of at most 24 bytes.
//     `input` and `starts` may be called more than once for an index, always before its output is written.
//
//   segmented_scan_scratch_bytes<T>(ex, n)
//     The scratch that either of them takes.
//
//   start_bits(ex, label, n, offsets, segment_count, words)
//     Sets bit i of the (n + 31) / 32 words if a segment starts at i, and clears the other bits. `offsets`: a
//     pointer to u32 or u64.

}  // namespace copse
