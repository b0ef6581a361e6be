#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/input_span.h"

namespace copse {

/// Stores the first element of each run of equal neighbours, in order, and the number of runs.
///   in:    any size, may be empty
///   out:   at least as many elements; must not overlap `in`
///   count: one element
/// Equal means ==: for floating-point numbers 0 equals -0, and NaN equals nothing.
/// For T of u32, u64, i32, i64, float, double.
/// Throws: Error invalid_argument if sizes do not fit or buffers overlap, Error out_of_memory.
/// Memory: scratch of 8 bytes for each 4096 elements on CUDA (8192 on the CPU), plus 1 KiB.
/// With your own equality: primitives/runs.h.
template <class T>
void unique(Context& context, InputSpan<T> in, BufferSpan<T> out, BufferSpan<u64> count);

// The template behind it, on either executor:
//
//   unique(ex, label, n, input, equal, out, count)
//     out[k] = input(i) for the k-th i that is 0 or has !equal(input(i - 1), input(i)); *count = how many.
//     `equal`: bool operator()(T, T) const, host+device. `input` must not read `out`.
//
//   unique_scratch_bytes<T>(ex, n)
//     At most the scratch that it takes.

}  // namespace copse
