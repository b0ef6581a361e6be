#pragma once

// Checks flags and the outputs of what they select, and treats elements as words of their size.

#include <type_traits>

#include "primitives/core/check.h"
#include "primitives/flags.h"

namespace copse::detail {

template <class T>
using WordOf = std::conditional_t<sizeof(T) == 4, u32, u64>;

inline ByteFlags flags_of(BufferSpan<const u8> flags) {
  return {flags.data()};
}
inline BitFlags flags_of(BitSpan flags) {
  return {flags.words.data()};
}

inline u64 flag_count(BufferSpan<const u8> flags) {
  return flags.size();
}
inline u64 flag_count(BitSpan flags) {
  return flags.size;
}

/// Throws: if the words hold fewer bits than `flags.size`.
inline void check_bits(const char* function, BitSpan flags) {
  const u64 needed = divide_rounding_up(flags.size, 32);
  if (flags.words.size() >= needed) return;
  refuse(function, counted(flags.words.size(), "words") + " of flags; " + std::to_string(needed) +
                       " are needed for " + counted(flags.size, "elements"));
}

template <class Out>
void check_flags_and_output(const char* function, BufferSpan<const u8> flags, BufferSpan<Out> out) {
  check_room(function, "the output", out.size(), flags.size());
  check_apart(function, flags, out);
}
template <class Out>
void check_flags_and_output(const char* function, BitSpan flags, BufferSpan<Out> out) {
  check_bits(function, flags);
  check_room(function, "the output", out.size(), flags.size);
  check_apart(function, flags.words, out);
}

template <class T, class Flags>
void check_flagged(const char* function, BufferSpan<const T> in, Flags flags, BufferSpan<T> out,
                   BufferSpan<u64> count) {
  check_same_count(function, "flags", flag_count(flags), "elements", in.size());
  check_flags_and_output(function, flags, out);
  check_apart(function, in, out);
  check_room(function, "the count", count.size(), 1);
}

template <class Flags>
void check_flagged_indices(const char* function, Flags flags, BufferSpan<u32> indices, BufferSpan<u64> count) {
  check_flags_and_output(function, flags, indices);
  check_room(function, "the count", count.size(), 1);
  check_index_count(function, "elements", flag_count(flags));
}

}  // namespace copse::detail
