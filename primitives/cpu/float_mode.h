#pragma once

#include <xmmintrin.h>

#include "primitives/core/types.h"

namespace copse::cpu {

/// Sets round to nearest, with denormals, for the life of the object; restores the mode of the caller at its end.
class FloatMode {
 public:
  FloatMode() : before_(_mm_getcsr()) { _mm_setcsr((before_ & ~changed_bits) | 0x1f80u); }
  ~FloatMode() { _mm_setcsr(before_); }
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
  // Flush to zero, rounding mode and denormals are zero: bits 15, 14..13 and 6.
  static constexpr u32 changed_bits = 0x8000u | 0x6000u | 0x0040u;
  u32 before_;
};

}  // namespace copse::cpu
