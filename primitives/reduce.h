#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/input_span.h"

namespace copse {

/// Stores the sum, the smallest or the largest element of `in` in `out`. Without elements, that is 0, the largest
/// or the lowest value of the type. Sums of floats are equal in every run on one backend, but differ between
/// backends.
///   in:  any size, may be empty
///   out: one element, may be the first of `in`
/// For T of u32, u64, i32, i64, float, double.
/// Throws: Error invalid_argument if `out` has no element, Error out_of_memory.
/// Memory: scratch of at most 17 KiB on CUDA, one T for each 4096 elements on the CPU.
/// With your own input function and operator: primitives/cpu/reduce.h, primitives/cuda/reduce.cuh.
template <class T>
void reduce_sum(Context& context, InputSpan<T> in, BufferSpan<T> out);
template <class T>
void reduce_min(Context& context, InputSpan<T> in, BufferSpan<T> out);
template <class T>
void reduce_max(Context& context, InputSpan<T> in, BufferSpan<T> out);

// The template behind them, on either executor:
//
//   reduce(ex, label, n, input, identity, op, out)
//     *out = op over input(0) .. input(n - 1), or `identity` if n is 0.
//     `input`: T operator()(u64) const; `op`: T operator()(T, T) const, associative and commutative with
//     `identity` as its neutral element; both host+device. T: trivially copyable.
//     The order in which op is applied depends only on n and the types.
//
//   reduce_scratch_bytes<T>(ex, n)
//     The scratch that it takes.

}  // namespace copse
