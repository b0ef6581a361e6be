#pragma once

// Flags, one per element, and the functions of the index that read them.

#include <cstring>
#include <type_traits>

#include "primitives/core/bits.h"
#include "primitives/core/compiler.h"
#include "primitives/core/span.h"

namespace copse {

/// Flags in bits: element i has bit i % 32, counted from the lowest, of word i / 32.
///   words: at least (size + 31) / 32 words; bits past `size` are ignored
struct BitSpan {
  BufferSpan<const u32> words;
  u64 size = 0;
};

/// Bit k of the result = byte k of `bytes` is not 0.
///
///   1. OR the bits of each byte into its lowest:   0000000d 0000000c 0000000b 0000000a
///   2. multiply, so that they meet above bit 24:   0000dcba ........ ........ ........
COPSE_HD inline u32 mask_of_bytes(u32 bytes) {
  bytes |= bytes >> 4;
  bytes |= bytes >> 2;
  bytes |= bytes >> 1;
  return ((bytes & 0x01010101u) * 0x01020408u) >> 24 & 0xfu;
}

/// Flags in bytes: an element is flagged if its byte is not 0.
struct ByteFlags {
  const u8* data;

  COPSE_HD bool operator()(u64 i) const { return data[i] != 0; }

  /// The bytes of `count` elements, 1 to 4 to a word.
  template <u32 count>
  struct Loaded {
    u32 words[divide_rounding_up(count, 4)];
  };

  /// Loads the flags [i, i + count). A caller may load several groups before it asks for the mask of the first.
  template <u32 count>
  COPSE_HD Loaded<count> load(u64 i) const {
    Loaded<count> loaded = {};
    if (count % 4 == 0 && reinterpret_cast<u64>(data + i) % 4 == 0) {
      std::memcpy(loaded.words, aligned_to<4>(data + i), count);
    } else {
      for (u32 k = 0; k < count; ++k) loaded.words[k / 4] |= u32(data[i + k]) << (8 * (k % 4));
    }
    return loaded;
  }

  /// Bit k = the flag of element i + k, for k below `count`, of what load(i) returned.
  template <u32 count>
  COPSE_HD u32 mask(u64, const Loaded<count>& loaded) const {
    u32 flags = 0;
    for (u32 k = 0; k < count; k += 4) flags |= mask_of_bytes(loaded.words[k / 4]) << k;
    return flags;
  }
};

/// Flags in bits, as in BitSpan.
struct BitFlags {
  const u32* words;

  COPSE_HD bool operator()(u64 i) const { return (words[i / 32] >> (i % 32) & 1u) != 0; }

  /// The same as in ByteFlags, where i is a multiple of `count`, a power of two of at most 16.
  template <u32 count>
  COPSE_HD u32 load(u64 i) const {
    return words[i / 32];
  }
  template <u32 count>
  COPSE_HD u32 mask(u64 i, u32 loaded) const {
    return loaded >> (i % 32) & ((1u << count) - 1);
  }
};

/// True if a predicate answers for `count` elements at once, as ByteFlags does.
template <class Predicate, u32 count>
concept AnswersInMasks = requires(const Predicate& predicate, u64 i) {
  predicate.template mask<count>(i, predicate.template load<count>(i));
};

/// Bit k = the answer for element i + k, for k below `count`.
template <u32 count, class Predicate>
COPSE_HD u32 mask_of(const Predicate& predicate, u64 i) {
  return predicate.template mask<count>(i, predicate.template load<count>(i));
}

/// True if a predicate takes the index and the value; else it takes the index.
template <class Predicate, class T>
inline constexpr bool predicate_takes_value = std::is_invocable_v<const Predicate&, u64, const T&>;

/// Whether `predicate`, of either kind, accepts an element.
template <class Predicate, class T>
COPSE_HD bool selects(const Predicate& predicate, u64 i, const T& value) {
  if constexpr (predicate_takes_value<Predicate, T>) {
    return predicate(i, value);
  } else {
    return predicate(i);
  }
}

namespace detail {

/// How many flags are set, whether any is, or whether all are.
enum class FlagQuestion { count, any, all };

}  // namespace detail

}  // namespace copse
