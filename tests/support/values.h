#pragma once

// Values that the tests of many rooms share.

#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "primitives/core/error.h"
#include "primitives/core/types.h"

namespace copse::test {

inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();
inline constexpr ErrorCode invalid = ErrorCode::invalid_argument;

/// Returns first, first + 1, first + 2 and so on.
inline std::vector<u32> numbers(u64 n, u32 first = 0) {
  std::vector<u32> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// Returns n values of random bits.
template <class T>
std::vector<T> random_values(u64 n, u32 seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (T& value : values) value = T(random());
  return values;
}

}  // namespace copse::test
