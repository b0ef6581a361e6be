#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/flags.h"
#include "primitives/input_span.h"

namespace copse {

/// Stores the flagged elements of `in` in their order, then the others in their order, and the number of flagged
/// ones: a stable split in two.
///   in:    any size, may be empty
///   flags: one per element: bytes, set if not 0, or bits
///   out:   as many elements as `in`; must not overlap `in` or `flags`
///   count: one element; must not overlap the others
/// For T of u32, u64, i32, i64, float, double.
/// Throws: Error invalid_argument if sizes do not fit or buffers overlap, Error out_of_memory.
/// Memory: no scratch on CUDA, 8 bytes for each 8192 elements on the CPU.
/// With your own predicate: primitives/cpu/partition.h, primitives/cuda/partition.cuh.
template <class T>
void partition(Context& context, InputSpan<T> in, BufferSpan<const u8> flags, BufferSpan<T> out,
               BufferSpan<u64> count);
template <class T>
void partition(Context& context, InputSpan<T> in, BitSpan flags, BufferSpan<T> out, BufferSpan<u64> count);

/// Stores the numbers of the flagged elements, then those of the others. At most 2^32 elements.
COPSE_API void partition_indices(Context& context, BufferSpan<const u8> flags, BufferSpan<u32> indices,
                                 BufferSpan<u64> count);
COPSE_API void partition_indices(Context& context, BitSpan flags, BufferSpan<u32> indices, BufferSpan<u64> count);

// The templates behind them, on either executor:
//
//   partition(ex, label, n, predicate, input, out, count)
//     out[0 .. n) = input(i) for all i that `predicate` accepts, in order, then for all others, in order.
//     *count = how many it accepts, a u64. Parameters as in compact (compact.h).
//
//   partition_each(ex, label, n, predicate, emit, count)
//     Calls emit(place, i) once for every i below n.
//
//   partition_scratch_bytes<T>(ex, n)
//     The scratch that either of them takes.

}  // namespace copse
