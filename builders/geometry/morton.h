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

/// The 2^axis_bits equal cells from lo to hi along an axis. Halves keep the extent of any finite box finite.
struct MortonAxis {
  float half_lo;
  float scale;  // 0 where lo and hi are (nearly) equal: all in cell 0

  COPSE_HD static MortonAxis of(float lo, float hi, u32 axis_bits) {
    const float half_lo = mul_rn(lo, 0.5f);
    const float scale = div_rn(float(1u << axis_bits), sub_rn(mul_rn(hi, 0.5f), half_lo));
    return {half_lo, is_finite(scale) ? scale : 0.0f};
  }

  COPSE_HD u32 cell(float value, u32 axis_bits) const {
    const float cell = mul_rn(sub_rn(mul_rn(value, 0.5f), half_lo), scale);
    return u32(max_number(min_number(cell, float((1u << axis_bits) - 1)), 0.0f));
  }
};

COPSE_HD inline u32 morton_cell(float value, float lo, float hi, u32 axis_bits) {
  return MortonAxis::of(lo, hi, axis_bits).cell(value, axis_bits);
}

/// The cells of the keys of points inside a box. Made once for many keys: it divides.
struct MortonGrid {
  static constexpr u32 axis_bits = morton_key_bits / 3;

  MortonAxis x, y, z;

  COPSE_HD static MortonGrid of(const Aabb& bounds) {
    return {MortonAxis::of(bounds.lo.x, bounds.hi.x, axis_bits),
            MortonAxis::of(bounds.lo.y, bounds.hi.y, axis_bits),
            MortonAxis::of(bounds.lo.z, bounds.hi.z, axis_bits)};
  }
  COPSE_HD u64 key(const vec3& p) const {
    return morton_code(x.cell(p.x, axis_bits), y.cell(p.y, axis_bits), z.cell(p.z, axis_bits));
  }
};

/// The key of a point inside `bounds`.
COPSE_HD inline u64 morton_key(const vec3& p, const Aabb& bounds) {
  return MortonGrid::of(bounds).key(p);
}

/// Equal leading bits of two neighbours in sorted order, the larger the closer they are. Equal keys go on
/// with the bits of their slots, so that all are different and no tie is closer than a real difference is
/// far: `slot` is the first one's, the second stands right behind it. At most 96.
COPSE_HD inline u32 common_prefix(u64 key, u64 next_key, u32 slot) {
  const u64 difference = key ^ next_key;
  return difference != 0 ? leading_zeros(difference) : 64 + leading_zeros(slot ^ (slot + 1));
}

}  // namespace copse
