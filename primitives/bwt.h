#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Stores the Burrows-Wheeler transform of a text: the byte before each suffix, in the order of the suffixes. Think
/// of an end mark after the text that is smaller than all bytes. The n + 1 suffixes of both then stand in n + 1
/// rows; row 0 begins with the end mark. The transform is the byte before each of them, without the end mark
/// itself, which stands before the whole text. Equal on all backends, and equal to divbwt of libdivsufsort.
///   text:      0 to 2^32 - 2 bytes
///   suffixes:  the suffix array of the text; see suffix_array.h
///   transform: as many as bytes; must not overlap the others
///   primary:   one element, on the device: the row of the whole text, 1 to n; 0 for no text. The inverse needs it
/// Throws: Error invalid_argument if sizes differ, for too long a text, or if buffers overlap.
/// Memory: no scratch.
COPSE_API void bwt(Context& context, BufferSpan<const u8> text, BufferSpan<const u32> suffixes,
                   BufferSpan<u8> transform, BufferSpan<u32> primary);

/// Stores the text of a Burrows-Wheeler transform. The successor of each row makes a list through all rows, which
/// list_rank ranks.
///   transform: 0 to 2^32 - 3 bytes
///   primary:   the row of the whole text, 1 to the number of bytes; 0 for no bytes
///   text:      as many as bytes; must not overlap the transform
/// Throws: Error invalid_argument if sizes differ, if `primary` is out of range, if the buffers overlap, if no text has
/// this transform, or while the stream is being captured; Error out_of_memory.
/// Waits: to learn whether the rows make one list.
/// Memory: inverse_bwt_scratch_bytes.
COPSE_API void inverse_bwt(Context& context, BufferSpan<const u8> transform, u32 primary, BufferSpan<u8> text);

/// The maximum scratch that inverse_bwt takes for `n` bytes: 21 bytes for each, plus 1 MiB.
COPSE_API u64 inverse_bwt_scratch_bytes(u64 n);

}  // namespace copse
