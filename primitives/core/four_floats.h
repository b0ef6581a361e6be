#pragma once

// Four floats at once on the host, by the vectors that every 64-bit processor has and that GCC and Clang know as types.

#include "primitives/core/types.h"

namespace copse::detail {

using FourFloats [[gnu::vector_size(16)]] = float;
using FourWords [[gnu::vector_size(16)]] = i32;

inline FourFloats four_times(float a) {
  return FourFloats{a, a, a, a};
}
inline FourFloats smallest_of(const FourFloats& a, const FourFloats& b) {
  return a < b ? a : b;
}
inline FourFloats largest_of(const FourFloats& a, const FourFloats& b) {
  return a > b ? a : b;
}
inline FourFloats floats_of(const FourWords& words) {
  return __builtin_convertvector(words, FourFloats);
}

}  // namespace copse::detail
