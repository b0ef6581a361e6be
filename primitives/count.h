#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/flags.h"

namespace copse {

/// Stores the number of flags that are set.
///   flags: any size, may be empty; bytes, set if not 0, or bits
///   out:   one element
/// Throws: Error invalid_argument if `out` has no element or the words hold fewer bits than `flags.size`,
/// Error out_of_memory.
COPSE_API void count_flags(Context& context, BufferSpan<const u8> flags, BufferSpan<u64> out);
COPSE_API void count_flags(Context& context, BitSpan flags, BufferSpan<u64> out);

/// Stores 1 if any flag is set, else 0; 0 for no flags. Buffers and errors as in count_flags.
COPSE_API void any_flag(Context& context, BufferSpan<const u8> flags, BufferSpan<u32> out);
COPSE_API void any_flag(Context& context, BitSpan flags, BufferSpan<u32> out);

/// Stores 1 if every flag is set, else 0; 1 for no flags. Buffers and errors as in count_flags.
COPSE_API void all_flags(Context& context, BufferSpan<const u8> flags, BufferSpan<u32> out);
COPSE_API void all_flags(Context& context, BitSpan flags, BufferSpan<u32> out);

// The templates behind them, on either executor:
//
//   count_if(ex, label, n, predicate, out)
//     *out = the number of i below n with predicate(i), a u64. Or predicate(i) is a number of at most 64; then
//     *out = the sum of these numbers.
//   any_of(ex, label, n, predicate, out), all_of(ex, label, n, predicate, out)
//     *out = 1 if predicate(i) holds for any (for all) i below n, else 0; a u32. Once the answer is known, the
//     predicate may be left uncalled for the remaining i.
//     `predicate`: bool operator()(u64) const, host+device. It may also have inside(u64), which answers for all i
//     but the first and the last.
//   They take no scratch.

}  // namespace copse
