#pragma once

#include "primitives/core/bits.h"

namespace copse {

/// One over `a`, correctly rounded, for `a` of 2^-125 to 2^125, either sign. On a GPU in four instructions, where
/// a division takes eight and now and then a call.
///
/// Source: Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", IBM Journal of
/// Research and Development 34, 1990: one fused step of Newton's from within one unit of the last place. It may
/// fail where all bits of the mantissa are ones; the tests go through every mantissa.
COPSE_HD inline float reciprocal_rn(float a) {
  if constexpr (COPSE_DEVICE_CODE == 1) {
    const float about = about_one_over(a);
    return fused_multiply_add(about, fused_multiply_add(-a, about, 1.0f), about);
  } else {
    return 1.0f / a;
  }
}

}  // namespace copse
