#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Gives each element as many slots of a common output as it asks for, in the order of the elements. Stores the
/// first slot of each element, the element to which each slot belongs, and the total number of slots.
///   counts:  the number of slots that each element asks for; any size, may be empty
///   offsets: as many elements as counts: the first slot of each, which is the sum of the counts before it
///   owners:  any size; owners[s] = the element to which slot s belongs. Nothing is written past the end: if
///            `total` is larger than the size, that many elements are needed.
///   total:   one element
/// The buffers must not overlap.
/// Throws: Error invalid_argument if sizes do not fit, if buffers overlap, or for more than 2^32 elements; Error
/// out_of_memory.
/// Memory: scratch of at most 20 bytes for each 1024 elements, plus 1 KiB.
/// With your own functions for the counts and the output: primitives/cpu/expand.h,
/// primitives/cuda/expand.cuh.
COPSE_API void expand(Context& context, BufferSpan<const u32> counts, BufferSpan<u64> offsets,
                      BufferSpan<u32> owners, BufferSpan<u64> total);

// The template behind it, on either executor:
//
//   expand(ex, label, n, counts, emit, capacity, offsets, total)
//     Calls emit(i, k, slot) for every i below n and every k below counts(i), where slot = counts(0) + ..
//     + counts(i - 1) + k, for all slots below `capacity`. *total = the number of slots asked for; if it is above
//     `capacity`, the rest was not emitted. Threads share the slots evenly, however uneven the counts are.
//     `counts`: unsigned operator()(u64) const; `emit`: void operator()(u64 i, u64 k, u64 slot) const, called in
//     any order; both host+device. offsets[i] = the first slot of i; if `offsets` is null, they stay in scratch.
//
//   expand_scratch_bytes(ex, n)
//     The scratch that it takes if `offsets` is null.

// Deprecated names, until 0.2.
[[deprecated("use expand")]] inline void allocate(Context& context, BufferSpan<const u32> counts,
                                                  BufferSpan<u64> offsets, BufferSpan<u32> owners,
                                                  BufferSpan<u64> total) {
  expand(context, counts, offsets, owners, total);
}

}  // namespace copse
