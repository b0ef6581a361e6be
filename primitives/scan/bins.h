#pragma once

// Finds the bin of a histogram into which a value falls.

#include "primitives/core/bits.h"

namespace copse::detail {

/// Returns (value - first) / width, by a multiplication. Let m = floor((2^64 - 1) / width) and x < 2^32. Then the
/// quotient floor(x / width) is floor((x + 1) m / 2^64), since m is smaller than 2^64 / width by less than 1.
template <class T>
struct BinByWidth {
  T first;
  u64 reciprocal;

  COPSE_HD u32 operator()(T value) const {
    if (value < first) return invalid_id;
    return u32(multiply_high(u64(u32(value - first)) + 1, reciprocal));
  }
};

struct EvenBin {
  float lower, upper, scale;
  u32 last_bin;

  COPSE_HD u32 operator()(float value) const {
    if (!(value >= lower && value < upper)) return invalid_id;
    return smaller(u32((value - lower) * scale), last_bin);
  }
};

}  // namespace copse::detail
