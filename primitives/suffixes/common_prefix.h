#pragma once

#include "primitives/core/bits.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// The eight bytes from any address on, the first lowest. Loads the one or two aligned words that hold them.
COPSE_HD inline u64 load_eight(const u8* from) {
  const u64 address = reinterpret_cast<u64>(from);
  const auto* words = reinterpret_cast<const u64*>(address & ~u64{7});
  const u32 shift = u32(address & 7) * 8;
  return shift == 0 ? words[0] : words[0] >> shift | words[1] << (64 - shift);
}

/// Returns how many bytes the suffixes at a and b share, of which the first `known` are known to be equal. Eight
/// words of each are in flight at once, so that a long repeat costs one thread as little as possible.
COPSE_HD inline u64 common_prefix(const u8* text, u64 n, u64 a, u64 b, u64 known) {
  constexpr u32 words = 8;
  const u64 room = n - (a < b ? b : a);
  u64 length = known;
  while (length + words * 8 + 8 <= room) {
    u64 differences[words];
    u64 any = 0;
#pragma unroll
    for (u32 k = 0; k < words; ++k) {
      differences[k] = load_eight(text + a + length + k * 8) ^ load_eight(text + b + length + k * 8);
      any |= differences[k];
    }
    if (any == 0) {
      length += words * 8;
      continue;
    }
    for (u32 k = 0; differences[k] == 0; ++k) length += 8;
    break;
  }
  while (length < room && text[a + length] == text[b + length]) ++length;
  return length;
}

}  // namespace copse::detail
