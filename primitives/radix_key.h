#pragma once

// Keys as unsigned numbers in the requested order, so that a radix sort has to know only one kind of key.

#include <cstring>
#include <type_traits>

#include "primitives/core/bits.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"
#include "primitives/inputs.h"

namespace copse {

enum class SortOrder : u8 { ascending, descending };

/// Bits [begin, end) of a key, 0 the lowest.
struct BitRange {
  u32 begin = 0;
  u32 end = 0;
};

/// An unsigned number of 32 times `word_count` bits, the lowest word first.
template <u32 word_count>
struct WideKey {
  u32 words[word_count];
  bool operator==(const WideKey&) const = default;
};
using Key96 = WideKey<3>;
using Key128 = WideKey<4>;

/// All bits of a key of this type.
template <class Key>
inline constexpr BitRange all_bits{0, u32(sizeof(Key)) * 8};

/// The unsigned number that has the bits of a key.
template <class Key>
struct KeyBits {
  using type = std::conditional_t<
      sizeof(Key) == 1, u8,
      std::conditional_t<sizeof(Key) == 2, u16, std::conditional_t<sizeof(Key) == 4, u32, u64>>>;
};
template <u32 word_count>
struct KeyBits<WideKey<word_count>> {
  using type = WideKey<word_count>;
};

/// Converts the bits of a key to a number in the requested order, and back: it flips the bits that are set in a
/// mask, which the sign bit chooses. Two's complement needs its sign bit flipped, a negative float all of its
/// bits. Floats come in the order of their bits: -NaN, -infinity, .., -0, +0, .., infinity, NaN.
template <class Bits>
struct KeyEncoding {
  static constexpr u32 word_count = (sizeof(Bits) + 3) / 4;
  static constexpr bool is_wide = !std::is_integral_v<Bits>;

  Bits with_sign{};     // the mask of keys whose highest bit is set
  Bits without_sign{};  // the mask of the others

  COPSE_HD Bits encode(const Bits& bits) const { return turned(bits, sign_of(bits) ? with_sign : without_sign); }

  COPSE_HD Bits decode(const Bits& bits) const {
    return turned(bits, sign_of(bits) != sign_of(without_sign) ? with_sign : without_sign);
  }

 private:
  COPSE_HD static bool sign_of(const Bits& bits) {
    if constexpr (is_wide) {
      return bits.words[word_count - 1] >> 31 != 0;
    } else {
      return bits >> (sizeof(Bits) * 8 - 1) != 0;
    }
  }
  COPSE_HD static Bits turned(Bits bits, const Bits& mask) {
    if constexpr (is_wide) {
      for (u32 k = 0; k < word_count; ++k) bits.words[k] ^= mask.words[k];
      return bits;
    } else {
      return Bits(bits ^ mask);
    }
  }
};

template <class Key>
KeyEncoding<typename KeyBits<Key>::type> encoding_of(SortOrder order) {
  using Bits = typename KeyBits<Key>::type;
  KeyEncoding<Bits> encoding;
  if constexpr (KeyEncoding<Bits>::is_wide) {
    if (order == SortOrder::ascending) return encoding;
    for (u32& word : encoding.with_sign.words) word = ~0u;
    encoding.without_sign = encoding.with_sign;
  } else {
    constexpr Bits sign = Bits(Bits{1} << (sizeof(Bits) * 8 - 1)), all = Bits(~Bits{0});
    if constexpr (std::is_floating_point_v<Key>) {
      encoding = {all, sign};
    } else if constexpr (std::is_signed_v<Key>) {
      encoding = {sign, sign};
    }
    if (order == SortOrder::descending) encoding = {Bits(~encoding.with_sign), Bits(~encoding.without_sign)};
  }
  return encoding;
}

/// The bits of the keys that an input function gives.
template <class Key, class KeyInput>
struct BitsOfKeys {
  KeyInput input;

  COPSE_HD typename KeyBits<Key>::type operator()(u64 i) const {
    const Key key = input(i);
    typename KeyBits<Key>::type bits;
    memcpy(&bits, &key, sizeof(Key));
    return bits;
  }
};

/// The bits of the keys of `key_input`, as an input function. An array stays an array.
template <class Key, class KeyInput>
auto bits_of(const KeyInput& key_input) {
  using Bits = typename KeyBits<Key>::type;
  if constexpr (std::is_same_v<KeyInput, Elements<Key>>) {
    return Elements<Bits>{reinterpret_cast<const Bits*>(key_input.data)};
  } else {
    return BitsOfKeys<Key, KeyInput>{key_input};
  }
}

/// Bits [shift, shift + width) of a number, where width is at most 32.
template <class Bits>
COPSE_HD u32 digit_of(const Bits& bits, u32 shift, u32 width) {
  const u32 mask = width == 32 ? 0xffffffffu : (1u << width) - 1;
  return u32(u64(bits) >> shift) & mask;
}
template <u32 word_count>
COPSE_HD u32 digit_of(const WideKey<word_count>& bits, u32 shift, u32 width) {
  const u32 mask = width == 32 ? 0xffffffffu : (1u << width) - 1;
  const u32 word = shift / 32;
  // Chosen by comparisons, so that the words can stay in registers.
  u32 low = 0, high = 0;
  for (u32 k = 0; k < word_count; ++k) {
    if (k == word) low = bits.words[k];
    if (k == word + 1) high = bits.words[k];
  }
  return u32((u64(high) << 32 | low) >> (shift % 32)) & mask;
}

}  // namespace copse
