#pragma once

// Keys and values of hash tables as words of 32 bits, and the hash of a key. A table depends only on the sizes of
// its types, so types of equal size share one compiled table.

#include <cstring>
#include <type_traits>

#include "primitives/core/bits.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"
#include "primitives/inputs.h"

namespace copse {

namespace detail {

/// The bytes of a key or value. Zeros fill up the last word.
template <u32 bytes>
struct Words {
  static constexpr u32 count = (bytes + 3) / 4;
  u32 word[count];

  COPSE_HD friend bool operator==(const Words& a, const Words& b) {
    u32 difference = 0;
    for (u32 k = 0; k < count; ++k) difference |= a.word[k] ^ b.word[k];
    return difference == 0;
  }
};
template <>
struct Words<0> {
  COPSE_HD friend bool operator==(const Words&, const Words&) { return true; }
};

template <class T>
inline constexpr u32 word_bytes = std::is_empty_v<T> ? 0 : u32(sizeof(T));

template <class T>
COPSE_HD inline Words<word_bytes<T>> words_of(const T& object) {
  Words<word_bytes<T>> words{};
  if constexpr (word_bytes < T >> 0) std::memcpy(&words, &object, sizeof object);
  return words;
}

template <class T>
COPSE_HD inline T object_of(const Words<word_bytes<T>>& words) {
  T object;
  if constexpr (word_bytes < T >> 0) std::memcpy(&object, &words, sizeof object);
  return object;
}

/// Returns words k and k + 1 as one number. A missing word k + 1 is 0.
template <u32 bytes>
COPSE_HD inline u64 long_word(const Words<bytes>& words, u32 k) {
  if constexpr (bytes == 0) {
    return 0;
  } else {
    return words.word[k] | (k + 1 < Words<bytes>::count ? u64(words.word[k + 1]) << 32 : 0);
  }
}

/// A one-to-one mapping of all numbers in which every bit of the result depends on every bit of `x`.
/// (Constants: Wellons, "Prospecting for Hash Functions", 2018, the triple of lowest bias with two
/// multiplications.)
COPSE_HD inline u32 mixed(u32 x) {
  x = (x ^ x >> 16) * 0x21f0aaadu;
  x = (x ^ x >> 15) * 0xd35a2d97u;
  return x ^ x >> 15;
}

/// The same for 64 bits. (Stafford, "Better Bit Mixing", 2011, variant 13, the finalizer of SplitMix64.)
COPSE_HD inline u64 mixed(u64 x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// Returns the hash of a key. Its upper bits choose the place. Two keys of up to 8 bytes never have the same hash.
/// The hash of a key of 4 bytes is the same 32 bits twice, so its upper half alone orders the keys.
template <u32 bytes>
COPSE_HD inline u64 hash_of(const Words<bytes>& key) {
  static_assert(bytes > 0 && bytes <= 16);
  if constexpr (bytes <= 4) {
    const u32 hash = mixed(key.word[0]);
    return u64(hash) << 32 | hash;
  } else if constexpr (bytes <= 8) {
    return mixed(long_word(key, 0));
  } else {
    return mixed(mixed(long_word(key, 0)) ^ long_word(key, 2));
  }
}

/// Returns the place of a hash among `count` places. Places have the order of hashes.
COPSE_HD inline u64 place_of(u64 hash, u64 count) {
  return multiply_high(hash, count);
}

}  // namespace detail

/// A type that tables take as key: 4 to 16 bytes, which are equal exactly if the keys are equal.
template <class T>
concept HashKey = std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T> &&
                      sizeof(T) >= 4 &&
                  sizeof(T) <= 16;

/// A type that tables take as value: up to 16 bytes, or an empty type.
template <class T>
concept HashValue = std::is_trivially_copyable_v<T> && sizeof(T) <= 16;

}  // namespace copse
