#pragma once

#include "primitives/core/bits.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// The two keys around a time, and the fraction `part` of the way from the first of them to the second.
///
/// Key k of n has the time float(k) / float(n - 1). At exactly this time `before` and `after` are both k, and `part`
/// is 0. So a ray there uses the bits of this key alone, whatever the other keys contain. At other times `part` is
/// from 0 to below 1, and `after` is `before` + 1 unless `part` is 0.
struct KeyTime {
  u32 before, after;
  float part;
  bool is_number;  // false for a time that is NaN: then the ray hits nothing

  /// `time`: below 0 it counts as 0, above 1 as 1.
  COPSE_HD static KeyTime of(float time, u32 key_count) {
    const float last = float(key_count - 1);
    const float clamped = min_number(max_number(time, 0.0f), 1.0f);
    const float at = mul_rn(clamped, last);
    const u32 nearest = whole_part(add_rn(at, 0.5f));
    if (div_rn(float(nearest), last) == clamped) return {nearest, nearest, 0, time == time};
    const u32 before = whole_part(at);
    const float part = sub_rn(at, float(before));
    return {before, part == 0 ? before : before + 1, part, time == time};
  }
};

}  // namespace copse::detail
