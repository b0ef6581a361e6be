#pragma once

#include <string>

#include "primitives/core/check.h"
#include "primitives/core/error.h"
#include "primitives/flags.h"

namespace copse {

/// Throws: Error invalid_argument where the words hold fewer bits than `flags.size`.
inline void check_bits(const char* what, BitSpan flags) {
  const u64 needed = divide_rounding_up(flags.size, 32);
  if (flags.words.size() >= needed) return;
  throw Error(ErrorCode::invalid_argument, std::string(what) + ": " + std::to_string(flags.words.size()) +
                                               " words of flags, " + std::to_string(needed) + " are needed for " +
                                               std::to_string(flags.size) + " elements");
}

/// Throws: Error invalid_argument where two counts that must be equal differ.
inline void check_same_count(const char* what, const char* one, u64 one_count, const char* other,
                             u64 other_count) {
  if (one_count == other_count) return;
  throw Error(ErrorCode::invalid_argument, std::string(what) + ": " + std::to_string(one_count) + " " + one +
                                               ", " + std::to_string(other_count) + " " + other);
}

/// Throws: Error invalid_argument where `out` has fewer elements than `needed`.
inline void check_room(const char* what, const char* out, u64 room, u64 needed) {
  if (room >= needed) return;
  throw Error(ErrorCode::invalid_argument, std::string(what) + ": " + out + " has " + std::to_string(room) +
                                               " elements, " + std::to_string(needed) + " are needed");
}

/// Throws: Error invalid_argument where an output shares memory with an input.
template <class T, class U>
void check_apart(const char* what, BufferSpan<T> in, BufferSpan<U> out) {
  if (in.empty() || out.empty() || !overlap(in, out)) return;
  throw Error(ErrorCode::invalid_argument, std::string(what) + ": the output overlaps the input by some of its " +
                                               std::to_string(out.size_bytes()) + " bytes; they must be apart");
}

}  // namespace copse
