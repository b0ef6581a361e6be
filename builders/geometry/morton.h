#pragma once

#include "builders/geometry/aabb.h"

namespace copse {

// Morton codes: the bits of three cell coordinates in turn, x highest.
//   63 bits, 21 an axis:  x20 y20 z20 x19 y19 z19 .. x0 y0 z0

/// Puts two zero bits before each of the lowest 10 bits.
COPSE_HD inline u32 spread_bits_10(u32 x) {
  x &= 0x3ffu;                      // .... .... .... .... .... ..98 7654 3210
  x = (x | x << 16) & 0x030000ffu;  // .... ..98 .... .... .... .... 7654 3210
  x = (x | x << 8) & 0x0300f00fu;   // .... ..98 .... .... 7654 .... .... 3210
  x = (x | x << 4) & 0x030c30c3u;   // .... ..98 .... 76.. ..54 .... 32.. ..10
  x = (x | x << 2) & 0x09249249u;   // .... 9..8 ..7. .6.. 5..4 ..3. .2.. 1..0
  return x;
}

/// Puts two zero bits before each of the lowest 21 bits.
COPSE_HD inline u64 spread_bits_21(u32 x) {
  return u64(spread_bits_10(x >> 11)) << 33 | u64(x >> 10 & 1u) << 30 | spread_bits_10(x);
}

COPSE_HD inline u64 morton_code(u32 x, u32 y, u32 z) {
  return spread_bits_21(x) << 2 | spread_bits_21(y) << 1 | spread_bits_21(z);
}

/// Bits of a key, and what stands in place of one where there is no point: it sorts behind all keys.
inline constexpr u32 morton_key_bits = 63;
inline constexpr u64 invalid_morton_key = u64{1} << morton_key_bits;

/// The cell of `value` among 2^axis_bits equal ones from lo to hi; 0 where they are (nearly) equal. Halves
/// keep the extent of any finite box finite.
COPSE_HD inline u32 morton_cell(float value, float lo, float hi, u32 axis_bits) {
  const float cell_count = float(1u << axis_bits);
  const float half_lo = mul_rn(lo, 0.5f);
  const float extent = sub_rn(mul_rn(hi, 0.5f), half_lo);
  const float offset = sub_rn(mul_rn(value, 0.5f), half_lo);
  const float scale = div_rn(cell_count, extent);
  if (!is_finite(scale)) return 0;
  const float cell = mul_rn(offset, scale);
  return u32(max_number(min_number(cell, sub_rn(cell_count, 1.0f)), 0.0f));
}

/// The key of a point inside `bounds`.
COPSE_HD inline u64 morton_key(const vec3& p, const Aabb& bounds) {
  constexpr u32 axis_bits = morton_key_bits / 3;
  return morton_code(morton_cell(p.x, bounds.lo.x, bounds.hi.x, axis_bits),
                     morton_cell(p.y, bounds.lo.y, bounds.hi.y, axis_bits),
                     morton_cell(p.z, bounds.lo.z, bounds.hi.z, axis_bits));
}

/// Equal leading bits of two neighbours in sorted order, the larger the closer they are. Equal keys go on
/// with the bits of their slots, so that all are different and no tie is closer than a real difference is
/// far: `slot` is the first one's, the second stands right behind it. At most 96.
COPSE_HD inline u32 common_prefix(u64 key, u64 next_key, u32 slot) {
  const u64 difference = key ^ next_key;
  return difference != 0 ? leading_zeros(difference) : 64 + leading_zeros(slot ^ (slot + 1));
}

}  // namespace copse
