#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/flags.h"
#include "primitives/input_span.h"

namespace copse {

/// Stores the flagged elements of `in` one after the other, in their order, and how many there are.
///   in:      any size, may be empty
///   flags:   one per element: bytes, set if not 0, or bits
///   out:     at least as many elements as `in`; must not overlap `in` or `flags`. The elements behind the
///            selected ones do not change.
///   indices: as out, for the numbers of the selected elements
///   count:   one element; must not overlap the others
/// For T of u32, u64, i32, i64, float, double.
/// Throws: Error invalid_argument if sizes do not fit, if buffers overlap, or for more than 2^32 elements if
/// indices are asked for; Error out_of_memory.
/// Memory: scratch of 8 bytes for each 4096 elements on CUDA (8192 on the CPU), plus 1 KiB.
/// With your own predicate: primitives/cpu/compact.h, primitives/cuda/compact.cuh.
template <class T>
void compact(Context& context, InputSpan<T> in, BufferSpan<const u8> flags, BufferSpan<T> out,
             BufferSpan<u64> count);
template <class T>
void compact(Context& context, InputSpan<T> in, BitSpan flags, BufferSpan<T> out, BufferSpan<u64> count);

/// Stores the numbers of the flagged elements.
COPSE_API void compact_indices(Context& context, BufferSpan<const u8> flags, BufferSpan<u32> indices,
                               BufferSpan<u64> count);
COPSE_API void compact_indices(Context& context, BitSpan flags, BufferSpan<u32> indices, BufferSpan<u64> count);

/// Stores the flagged elements and their numbers.
template <class T>
void compact_with_indices(Context& context, InputSpan<T> in, BufferSpan<const u8> flags, BufferSpan<T> out,
                          BufferSpan<u32> indices, BufferSpan<u64> count);
template <class T>
void compact_with_indices(Context& context, InputSpan<T> in, BitSpan flags, BufferSpan<T> out,
                          BufferSpan<u32> indices, BufferSpan<u64> count);

// The templates behind them, on either executor:
//
//   compact(ex, label, n, predicate, input, out, count)
//     out[k] = input(i) for the k-th i below n that `predicate` accepts, in order; *count = how many, a u64.
//     `predicate`: bool operator()(u64 i) const, or bool operator()(u64 i, const T& value) const with value =
//     input(i); where it has both, the second is called. `input`: T operator()(u64) const. Both are host+device
//     and may be called more than once. T: trivially copyable, of any size. Neither may read `out`.
//
//   compact_each(ex, label, n, predicate, emit, count)
//     Calls emit(k, i) for the k-th i that `predicate`, a function of the index, accepts: for indices, for several
//     outputs at once, or to change an element while it is moved. `emit`: void operator()(u64, u64) const.
//
//   compact_scratch_bytes<T>(ex, n)
//     At most the scratch that compact of T or compact_each takes.

}  // namespace copse
