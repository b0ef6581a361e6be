#pragma once

// Finds the bin of a histogram into which a value falls.

#include "primitives/core/bits.h"

namespace copse::detail {

/// Returns (value - first) / width, by a multiplication. Let m = floor((2^64 - 1) / width) and x < 2^32. Then the
/// quotient floor(x / width) is floor((x + 1) m / 2^64), since m is smaller than 2^64 / width by less than 1.
///
/// The product has 96 bits. With m = h 2^32 + l it is made of two products of 32 by 32 bits, which a GPU
/// multiplies in one instruction each. Neither sum overflows: (x + 1) l < 2^64, and (x + 1) h + ((x + 1) l >> 32)
/// < 2^64.
template <class T>
struct BinByWidth {
  T first;
  u64 reciprocal;

  COPSE_HD u32 operator()(T value) const {
    if (value < first) return invalid_id;
    const u32 x = u32(value - first), high = u32(reciprocal >> 32), low = u32(reciprocal);
    const u64 low_product = u64(x) * low + low;
    return u32((u64(x) * high + (high + (low_product >> 32))) >> 32);
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
