#pragma once

#include "builders/geometry/aabb.h"

namespace copse {

// Morton codes: the bits of three cell coordinates in turn, x highest.
//   30 bits, 10 an axis:  x9 y9 z9 x8 y8 z8 .. x0 y0 z0

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

COPSE_HD inline u32 morton_code_30(u32 x, u32 y, u32 z) {
  return spread_bits_10(x) << 2 | spread_bits_10(y) << 1 | spread_bits_10(z);
}

COPSE_HD inline u64 morton_code_63(u32 x, u32 y, u32 z) {
  return spread_bits_21(x) << 2 | spread_bits_21(y) << 1 | spread_bits_21(z);
}

/// A Morton key by its type: u32 holds 30 bits, u64 holds 63. The invalid key sorts behind all codes.
template <class Key>
struct MortonKey;

template <>
struct MortonKey<u32> {
  static constexpr u32 axis_bits = 10;
  static constexpr u32 bits = 30;
  static constexpr u32 invalid = 1u << 30;
  COPSE_HD static u32 of(u32 x, u32 y, u32 z) { return morton_code_30(x, y, z); }
};

template <>
struct MortonKey<u64> {
  static constexpr u32 axis_bits = 21;
  static constexpr u32 bits = 63;
  static constexpr u64 invalid = u64{1} << 63;
  COPSE_HD static u64 of(u32 x, u32 y, u32 z) { return morton_code_63(x, y, z); }
};

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
template <class Key>
COPSE_HD Key morton_key(const vec3& p, const Aabb& bounds) {
  constexpr u32 bits = MortonKey<Key>::axis_bits;
  return MortonKey<Key>::of(morton_cell(p.x, bounds.lo.x, bounds.hi.x, bits),
                            morton_cell(p.y, bounds.lo.y, bounds.hi.y, bits),
                            morton_cell(p.z, bounds.lo.z, bounds.hi.z, bits));
}

/// Equal leading bits of two neighbours in sorted order, the larger the closer they are. Equal keys go on
/// with the bits of their slots, so that all are different and no tie is closer than a real difference is
/// far: `slot` is the first one's, the second stands right behind it. At most 96.
COPSE_HD inline u32 common_prefix(u64 key, u64 next_key, u32 slot) {
  const u64 difference = key ^ next_key;
  return difference != 0 ? leading_zeros(difference) : 64 + leading_zeros(slot ^ (slot + 1));
}

COPSE_HD inline u32 common_prefix(u32 key, u32 next_key, u32 slot) {
  const u32 difference = key ^ next_key;
  return difference != 0 ? leading_zeros(difference) : 32 + leading_zeros(slot ^ (slot + 1));
}

}  // namespace copse
