#pragma once

// Loads and stores of 16 bytes at once. A compiler would load and store the members of a larger structure one by one.

#include <cstring>

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

struct alignas(16) WholeWords {
  u32 word[4];
};

/// Returns a value that is a multiple of 16 bytes, by loads of 16 bytes.
template <class T>
COPSE_HD T load_whole(const T* from) {
  constexpr u32 count = sizeof(T) / sizeof(WholeWords);
  static_assert(sizeof(T) % sizeof(WholeWords) == 0 && alignof(T) % alignof(WholeWords) == 0);
  WholeWords words[count];
#pragma unroll
  for (u32 k = 0; k < count; ++k) words[k] = reinterpret_cast<const WholeWords*>(from)[k];
  T value;
  memcpy(&value, words, sizeof(T));
  return value;
}

/// Stores a value that is a multiple of 16 bytes, by stores of 16 bytes.
template <class T>
COPSE_HD void store_whole(const T& value, T* to) {
  constexpr u32 count = sizeof(T) / sizeof(WholeWords);
  static_assert(sizeof(T) % sizeof(WholeWords) == 0 && alignof(T) % alignof(WholeWords) == 0);
  WholeWords words[count];
  memcpy(words, &value, sizeof(T));
#pragma unroll
  for (u32 k = 0; k < count; ++k) reinterpret_cast<WholeWords*>(to)[k] = words[k];
}

}  // namespace copse::detail
