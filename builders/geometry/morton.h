#pragma once

#include "builders/geometry/aabb.h"

namespace copse {

// Morton codes: the bits of three cell coordinates in turn, x highest.
//   63 bits, 21 per axis:  x20 y20 z20 x19 y19 z19 .. x0 y0 z0
//
// The bits of the keys of points in a box go to the axes by the extents of the box, so that cells are nearly
// cubes: an axis takes part from the turn at which the longest axis has been halved to about its length. Source:
// Vinkler, Bittner, Havran, "Extended Morton Codes for High Performance Bounding Volume Hierarchy Construction",
// HPG 2017, without their bits for sizes. Where we differ: the axes that take part have their turns in the order
// x, y, z, whichever is longest, and the turn follows from the exponents of the extents.
//   y a quarter as long as x and z:  x21 z21 x20 z20 x19 y19 z19 x18 y18 z18 .. x1 y1 z1 x0 y0

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

/// The bits of a key, and the value in place of a key if there is no point. It sorts behind all keys.
inline constexpr u32 morton_key_bits = 63;
inline constexpr u64 invalid_morton_key = u64{1} << morton_key_bits;

/// The 2^axis_bits equal cells from lo to hi along an axis. Halves keep the extent of any finite box finite.
struct MortonAxis {
  float half_lo;
  float scale;  // 0 if lo and hi are (nearly) equal: all points are in cell 0
  float last;   // the largest number in the last cell

  COPSE_HD static MortonAxis of(float lo, float hi, u32 axis_bits) {
    const float half_lo = mul_rn(lo, 0.5f), count = float(1u << axis_bits);
    const float scale = div_rn(count, sub_rn(mul_rn(hi, 0.5f), half_lo));
    return {half_lo, is_finite(scale) ? scale : 0.0f, float_from_bits(bits_of(count) - 1)};
  }

  COPSE_HD u32 cell(float value) const {
    const float cell = mul_rn(sub_rn(mul_rn(value, 0.5f), half_lo), scale);
    return u32(max_number(min_number(cell, last), 0.0f));
  }
};

COPSE_HD inline u32 morton_cell(float value, float lo, float hi, u32 axis_bits) {
  return MortonAxis::of(lo, hi, axis_bits).cell(value);
}

/// How the bits of keys go to the axes of a box: in turns, with one bit for each axis that takes part.
struct MortonTurns {
  /// From this turn on all axes take part, also those without extent, whose bits are zero. So a line has 31 bits,
  /// more than the mantissa of a float.
  static constexpr u32 max_early_turns = 15;

  uvec3 first;  // [axis]: the first turn in which it takes part; 0 for the longest axis
  u32 early;    // turns before all axes take part
  u32 early_bits;
  u32 count;  // all turns; in the last one, maybe only x, or x and y, have a bit

  COPSE_HD static MortonTurns of(const Aabb& bounds) {
    const vec3 extents(half_extent(bounds.lo.x, bounds.hi.x), half_extent(bounds.lo.y, bounds.hi.y),
                       half_extent(bounds.lo.z, bounds.hi.z));
    const float longest = max_number(max_number(extents.x, extents.y), extents.z);
    MortonTurns turns;
    turns.first = uvec3(halvings(longest, extents.x), halvings(longest, extents.y), halvings(longest, extents.z));
    turns.early = larger(larger(turns.first.x, turns.first.y), turns.first.z);
    turns.early_bits = 3 * turns.early - turns.first.x - turns.first.y - turns.first.z;
    turns.count = turns.early + (morton_key_bits - turns.early_bits + 2) / 3;
    return turns;
  }

  /// With 3 bits per turn from `early` on, how many bits are past the end of a key.
  COPSE_HD u32 bits_past_end() const { return 3 * (count - early) + early_bits - morton_key_bits; }

 private:
  COPSE_HD static float half_extent(float lo, float hi) {
    return max_number(sub_rn(mul_rn(hi, 0.5f), mul_rn(lo, 0.5f)), 0.0f);
  }

  /// Returns how often the longest extent is halved to about this one: the rounded binary logarithm of their
  /// ratio. The bits of a float, read as an integer, are its logarithm with an error of at most 0.09.
  COPSE_HD static u32 halvings(float longest, float extent) {
    constexpr u32 mantissa_bits = 23;
    const u32 logarithm = bits_of(longest) - bits_of(extent);
    return smaller((logarithm + (1u << (mantissa_bits - 1))) >> mantissa_bits, max_early_turns);
  }
};

/// The cells of the keys of points in a box. Make it once for many keys: it divides.
struct MortonGrid {
  MortonTurns turns;
  MortonAxis x, y, z;

  COPSE_HD static MortonGrid of(const Aabb& bounds) {
    const MortonTurns turns = MortonTurns::of(bounds);
    return {turns, MortonAxis::of(bounds.lo.x, bounds.hi.x, turns.count - turns.first.x),
            MortonAxis::of(bounds.lo.y, bounds.hi.y, turns.count - turns.first.y),
            MortonAxis::of(bounds.lo.z, bounds.hi.z, turns.count - turns.first.z)};
  }

  COPSE_HD uvec3 cell(const vec3& p) const { return {x.cell(p.x), y.cell(p.y), z.cell(p.z)}; }

  COPSE_HD u64 key(const vec3& p) const {
    const uvec3 at = cell(p);
    const u64 code = morton_code(at.x, at.y, at.z);
    return turns.early == 0 ? code : behind_early_bits(at, code);
  }

  /// Puts the bits of the early turns before a code of the bits of the other turns.
  ///
  ///   62 ..      | .. 0
  ///   early bits | bits of the turns in which all axes take part
  COPSE_HD u64 behind_early_bits(const uvec3& cell, u64 code) const {
    u32 early_bits = 0;
#pragma unroll 1
    for (u32 turn = 0; turn < turns.early; ++turn) {
      const u32 bit = turns.count - 1 - turn;
      if (turn >= turns.first.x) early_bits = early_bits << 1 | (cell.x >> bit & 1);
      if (turn >= turns.first.y) early_bits = early_bits << 1 | (cell.y >> bit & 1);
      if (turn >= turns.first.z) early_bits = early_bits << 1 | (cell.z >> bit & 1);
    }
    const u32 code_bits = morton_key_bits - turns.early_bits, past_end = turns.bits_past_end();
    return u64{early_bits} << code_bits | (code >> past_end & ((u64{1} << code_bits) - 1));
  }
};

/// Returns the key of a point inside `bounds`.
COPSE_HD inline u64 morton_key(const vec3& p, const Aabb& bounds) {
  return MortonGrid::of(bounds).key(p);
}

/// Returns the delta of two neighbours in sorted order: how many leading bits they share, at most 95. Equal keys
/// go on with the bits of their slots, so that all keys differ; then the delta is at least 64, above the delta of
/// any two different keys.
///   slot: of the first key; the second key is in the next slot
COPSE_HD inline u32 common_prefix(u64 key, u64 next_key, u32 slot) {
  const u64 difference = key ^ next_key;
  return difference != 0 ? leading_zeros(difference) : 64 + leading_zeros(slot ^ (slot + 1));
}

}  // namespace copse
