#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Sorts the suffixes of a text: suffixes[r] = where the suffix begins that has r smaller ones. Suffixes compare
/// byte by byte, as unsigned numbers; a suffix that is the beginning of another is smaller. Equal on all backends.
///   text:     0 to 2^32 - 2 bytes of any values
///   suffixes: as many as bytes; must not overlap the text
/// Throws: Error invalid_argument if the sizes differ, for too long a text, if the buffers overlap, or while the stream
/// is being captured; Error out_of_memory.
/// Waits: for each doubling of the length up to which suffixes have been compared.
/// Memory: suffix_array_scratch_bytes.
COPSE_API void suffix_array(Context& context, BufferSpan<const u8> text, BufferSpan<u32> suffixes);

/// The maximum scratch that suffix_array takes for `n` bytes: 19 bytes for each, plus 1 MiB. With the text and the
/// suffix array that is 24 bytes.
COPSE_API u64 suffix_array_scratch_bytes(u64 n);

}  // namespace copse
