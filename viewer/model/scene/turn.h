#pragma once

#include "primitives/core/bits.h"

namespace copse::viewer {

/// The fractional part of `x`, from 0 up to 1, for |x| below 2^31.
COPSE_HD inline float fraction_of(float x) {
  const float whole = float(i32(x));
  const float rest = sub_rn(x, whole);
  return rest < 0 ? add_rn(rest, 1.0f) : rest;
}

/// The sine of `turns` whole turns, within 4e-6. The bits are the same on every backend; those of math libraries
/// are not. A Taylor polynomial of degree 9, over a quarter turn to either side.
COPSE_HD inline float sine_of_turns(float turns) {
  float x = fraction_of(turns);
  if (x > 0.5f) x = sub_rn(x, 1.0f);
  if (x > 0.25f) x = sub_rn(0.5f, x);
  if (x < -0.25f) x = sub_rn(-0.5f, x);
  const float y = mul_rn(x, 6.2831853f), square = mul_rn(y, y);
  float sum = 1.0f / 362880.0f;
  sum = add_rn(mul_rn(sum, square), -1.0f / 5040.0f);
  sum = add_rn(mul_rn(sum, square), 1.0f / 120.0f);
  sum = add_rn(mul_rn(sum, square), -1.0f / 6.0f);
  sum = add_rn(mul_rn(sum, square), 1.0f);
  return mul_rn(sum, y);
}

COPSE_HD inline float cosine_of_turns(float turns) {
  return sine_of_turns(add_rn(turns, 0.25f));
}

}  // namespace copse::viewer
