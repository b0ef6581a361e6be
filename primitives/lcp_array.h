#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Stores how many bytes each suffix shares with the suffix before it in the suffix array: prefixes[r] is for
/// suffixes r - 1 and r, and prefixes[0] is 0. Equal on all backends.
///   text:     0 to 2^32 - 2 bytes
///   suffixes: the suffix array of the text. Anything else gives wrong numbers or reads outside the text
///   prefixes: as many as bytes; must not overlap the others
/// The time grows with the longest repeat, since one thread reads it: a repeat of 100 MB takes about a second.
/// Throws: Error invalid_argument if sizes differ, for too long a text, or if buffers overlap; Error out_of_memory.
/// Memory: lcp_array_scratch_bytes.
COPSE_API void lcp_array(Context& context, BufferSpan<const u8> text, BufferSpan<const u32> suffixes,
                         BufferSpan<u32> prefixes);

/// The scratch that lcp_array takes for `n` bytes: 4 bytes for each.
COPSE_API u64 lcp_array_scratch_bytes(u64 n);

}  // namespace copse
