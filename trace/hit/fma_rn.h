#pragma once

#include <cstring>

#include "primitives/core/bits.h"

namespace copse {

/// a * b + c in one rounding, with the same bits on all machines. Host code cannot rely on an instruction for it, and
/// the C library's function is a call. So the host computes in double, where the product of two floats is exact. Then
/// only the sum may be rounded twice, first to 53 bits and then to 24:
///
///   1.bbbbbbbbbbbbbbbbbbbbbbb 10000000000000000000000000000    53 bits
///
/// The second rounding is wrong in two cases only: the sum of 53 bits seems to lie in the middle between two floats,
/// as here, or it is denormal as a float, where the last bit is at another place. In these cases the host calls the
/// library.
COPSE_HD inline float fma_rn(float a, float b, float c) {
  if constexpr (COPSE_DEVICE_CODE == 1) {
    return fused_multiply_add(a, b, c);
  } else {
    constexpr u64 dropped_bits = (u64{1} << 29) - 1, middle = u64{1} << 28;
    constexpr double min_normal = 1.0 / (u64{1} << 63) / (u64{1} << 63);
    const double sum = add_rn(mul_rn(double(a), double(b)), double(c));
    u64 bits;
    std::memcpy(&bits, &sum, sizeof bits);
    const bool is_small = sum < min_normal && sum > -min_normal && sum != 0;
    if ((bits & dropped_bits) == middle || is_small) return fused_multiply_add(a, b, c);
    return float(sum);
  }
}

/// One over `a`, correctly rounded, for `a` of 2^-125 to 2^125, of either sign. A GPU needs four instructions for
/// it, where a division takes eight and sometimes a call.
///
/// Source: Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", IBM Journal of
/// Research and Development 34, 1990: one fused Newton step, from a value within one unit of the last place. It
/// may fail if all bits of the mantissa are ones. The tests go through every mantissa.
COPSE_HD inline float reciprocal_rn(float a) {
  if constexpr (COPSE_DEVICE_CODE == 1) {
    const float about = about_one_over(a);
    return fused_multiply_add(about, fused_multiply_add(-a, about, 1.0f), about);
  } else {
    return 1.0f / a;
  }
}

}  // namespace copse
