#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Gives each element as many slots of a common output as it asks for, in the order of elements: stores the
/// first slot of each, whom each slot belongs to, and how many slots are asked for in all.
///   counts:  the slots that each element asks for; any size, may be empty
///   offsets: as many elements: the first slot of each, the sum of the counts before
///   owners:  of any size; owners[s] = the element that slot s belongs to. Nothing is written past its end: where
///            `total` says more, that many are needed.
///   total:   one element
/// No two of them may overlap.
/// Throws: Error invalid_argument where sizes do not fit, buffers overlap, or there are more than 2^32 elements;
/// Error out_of_memory.
/// Memory: scratch of at most 20 bytes for each 1024 elements, plus 1 KiB.
/// With your own functions of the count and for the output: primitives/cpu/expand.h,
/// primitives/cuda/expand.cuh.
void expand(Context& context, BufferSpan<const u32> counts, BufferSpan<u64> offsets, BufferSpan<u32> owners,
            BufferSpan<u64> total);

// The template behind it, the same on both backends:
//
//   expand(ex, label, n, counts, emit, capacity, offsets, total)
//     Calls emit(i, k, slot) for every i below n and every k below counts(i), where slot = counts(0) + ..
//     + counts(i - 1) + k, as far as slot is below `capacity`. *total = the slots that are asked for; above
//     `capacity`, the rest was not emitted. Threads share the slots evenly, however uneven the counts are.
//     `counts`: unsigned operator()(u64) const; `emit`: void operator()(u64 i, u64 k, u64 slot) const, in any
//     order; both host+device. offsets[i] = the first slot of i; null: kept in scratch.
//
//   expand_scratch_bytes(ex, n)
//     The scratch it takes where `offsets` is null.

// Deprecated names, until 0.2.
[[deprecated("use expand")]] inline void allocate(Context& context, BufferSpan<const u32> counts,
                                                  BufferSpan<u64> offsets, BufferSpan<u32> owners,
                                                  BufferSpan<u64> total) {
  expand(context, counts, offsets, owners, total);
}

}  // namespace copse
