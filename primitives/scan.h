#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/input_span.h"

namespace copse {

/// Stores the running sums of `in`: out[i] = in[0] + .. + in[i] (inclusive), or without in[i] (exclusive).
///   in:  any size, may be empty
///   out: as many elements; may be `in` itself, must not overlap it otherwise
/// Integers wrap around. For T of u32, u64, i32, i64.
/// Throws: Error invalid_argument if the sizes differ, Error out_of_memory.
/// Memory: scratch of at most 20 bytes for each 1024 elements, plus 1 KiB.
/// With your own input function and operator: primitives/cpu/scan.h, primitives/cuda/scan.cuh.
template <class T>
void inclusive_scan(Context& context, InputSpan<T> in, BufferSpan<T> out);
template <class T>
void exclusive_scan(Context& context, InputSpan<T> in, BufferSpan<T> out);

// The templates behind them, on either executor:
//
//   inclusive_scan(ex, label, n, input, op, out)
//   exclusive_scan(ex, label, n, input, init, op, out, total)
//   inclusive_scan(ex, label, n, input, init, op, out)
//     `input`: T operator()(u64) const; `op`: T operator()(T, T) const, associative; both host+device.
//     T: trivially copyable, of at most 32 bytes. input(i) may be called more than once, but always before
//     out[i] is written, so it may read out[i]. inclusive: out[i] = init op input(0) op .. op input(i).
//     exclusive: out[0] = init, out[i] = init op input(0) op .. op input(i - 1). If `total` is not null,
//     *total = init op all n inputs.
//
//   scan_scratch_bytes<T>(ex, n)
//     The scratch that any of them takes.

}  // namespace copse
