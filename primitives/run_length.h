#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/input_span.h"

namespace copse {

/// Stores the value and the length of each run of equal neighbours, in order, and the number of runs.
///   in:      at most 2^32 - 1 elements, may be empty
///   values:  at least as many elements
///   lengths: at least as many elements
///   count:   one element
/// The buffers must not overlap. Equal means ==, as in unique. For T of u32, u64, i32, i64, float, double.
/// Throws: Error invalid_argument if sizes do not fit or buffers overlap, Error out_of_memory.
/// Memory: scratch of 24 bytes for each 16 KiB of elements and 1 KiB on CUDA, of 8 bytes per element more on the CPU.
/// With your own equality: primitives/runs.h.
template <class T>
void run_length_encode(Context& context, InputSpan<T> in, BufferSpan<T> values, BufferSpan<u32> lengths,
                       BufferSpan<u64> count);

// The template behind it, on either executor:
//
//   run_length_encode(ex, label, n, input, equal, values, lengths, count)
//     values[k] = the first element of run k, lengths[k] = its length, *count = the number of runs. Input and
//     equality as in unique (unique.h); lengths of any integer type that holds n.
//
//   run_length_encode_scratch_bytes<T>(ex, n)
//     At most the scratch that it takes.

}  // namespace copse
