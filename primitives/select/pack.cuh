#pragma once

// Packs: neighbouring elements that a thread moves together, in loads and stores of 16 bytes.

#include <cstring>
#include <type_traits>

#include "primitives/core/bits.h"
#include "primitives/core/types.h"
#include "primitives/inputs.h"

namespace copse::cuda {

namespace detail {

/// Returns the smallest number of elements that fill whole 16-byte words, or 1 if that takes more than 64 bytes.
constexpr u32 pack_size_for(u64 element_bytes) {
  for (u32 size = 1; size * element_bytes <= 64; ++size) {
    if (size * element_bytes % 16 == 0) return size;
  }
  return 1;
}

}  // namespace detail

template <class T>
inline constexpr u32 pack_size = detail::pack_size_for(sizeof(T));

/// True if packs of T are moved in whole 16-byte words.
template <class T>
inline constexpr bool packs_are_words = pack_size<T> * sizeof(T) % 16 == 0;

inline bool is_aligned_to_words(const void* p) {
  return reinterpret_cast<u64>(p) % 16 == 0;
}

/// `pack_size<T>` elements. They stay packed in registers, so that 16 bytes take 4 registers for any type.
template <class T>
class Pack {
 public:
  static constexpr u32 size = pack_size<T>;
  static constexpr u32 word_count = (size * sizeof(T) + 15) / 16;

  __device__ T operator[](u32 k) const {
    T element;
    memcpy(&element, bytes() + k * sizeof(T), sizeof(T));
    return element;
  }
  __device__ void set(u32 k, const T& element) { memcpy(bytes() + k * sizeof(T), &element, sizeof(T)); }

  __device__ void load_words(const uint4* from) {
#pragma unroll
    for (u32 k = 0; k < word_count; ++k) words_[k] = from[k];
  }
  /// Stores data that is not read again soon.
  __device__ void stream_words_to(uint4* to) const {
#pragma unroll
    for (u32 k = 0; k < word_count; ++k) __stcs(to + k, words_[k]);
  }

 private:
  __device__ unsigned char* bytes() {
    return reinterpret_cast<unsigned char*>(words_);
  }
  __device__ const unsigned char* bytes() const {
    return reinterpret_cast<const unsigned char*>(words_);
  }

  uint4 words_[word_count];
};

/// Loads elements [i, i + size) of `input`; past the end, it repeats the last one. `whole_words` says that the
/// input is an array that starts at a 16-byte word.
template <class T, class Input>
__device__ Pack<T> load_pack(const Input& input, u64 i, u64 n, bool whole_words) {
  Pack<T> pack;
  if constexpr (std::is_same_v<Input, Elements<T>> && packs_are_words<T>) {
    if (whole_words && i + pack.size <= n) {
      pack.load_words(reinterpret_cast<const uint4*>(input.data + i));
      return pack;
    }
  }
#pragma unroll
  for (u32 k = 0; k < pack.size; ++k) pack.set(k, input(smaller(i + k, n - 1)));
  return pack;
}

/// Stores a pack at elements [i, i + size), as far as they are below n.
template <class T>
__device__ void store_pack(const Pack<T>& pack, T* out, u64 i, u64 n, bool whole_words) {
  if constexpr (packs_are_words<T>) {
    if (whole_words && i + pack.size <= n) {
      pack.stream_words_to(reinterpret_cast<uint4*>(out + i));
      return;
    }
  }
#pragma unroll
  for (u32 k = 0; k < pack.size; ++k) {
    if (i + k < n) out[i + k] = pack[k];
  }
}

}  // namespace copse::cuda
