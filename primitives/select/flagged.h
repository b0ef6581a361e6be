#pragma once

// What compact.cpp and partition.cpp share: checks of flagged input, and elements as words of their size.

#include <type_traits>

#include "primitives/select/flag_arguments.h"
#include "primitives/sort/record_arguments.h"

namespace copse {

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

template <class Out>
void check_flags_and_output(const char* what, BufferSpan<const u8> flags, BufferSpan<Out> out) {
  check_room(what, "the output", out.size(), flags.size());
  check_apart(what, flags, out);
}
template <class Out>
void check_flags_and_output(const char* what, BitSpan flags, BufferSpan<Out> out) {
  check_bits(what, flags);
  check_room(what, "the output", out.size(), flags.size);
  check_apart(what, flags.words, out);
}

template <class T, class Flags>
void check_flagged(const char* what, BufferSpan<const T> in, Flags flags, BufferSpan<T> out,
                   BufferSpan<u64> count) {
  check_same_count(what, "flags", flag_count(flags), "elements", in.size());
  check_flags_and_output(what, flags, out);
  check_apart(what, in, out);
  check_room(what, "the count", count.size(), 1);
}

template <class Flags>
void check_flagged_indices(const char* what, Flags flags, BufferSpan<u32> indices, BufferSpan<u64> count) {
  check_flags_and_output(what, flags, indices);
  check_room(what, "the count", count.size(), 1);
  check_index_count(what, "elements", flag_count(flags));
}

}  // namespace copse
