#pragma once

#include "builders/geometry/morton.h"

namespace copse {

// Places on the Hilbert curve. It visits the cells of a cube so that neighbours on the curve are neighbours in
// space, while the Morton curve jumps. So equal runs of points have smaller boxes.
//
//   Morton         Hilbert
//   1   3          1 - 2
//   | / |          |   |       the curve through 2 x 2 cells, and how four of them are joined: each is turned or
//   0   2          0   3       mirrored, so that it begins beside the end of the one before
//
// Source: Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004: from the highest bit
// down, each bit decides how the lower bits of the axes are exchanged and inverted. The result is a Gray code.

namespace detail {

/// All ones if a bit is set, else zero.
COPSE_HD inline u32 mask_of_bit(u32 value, u32 bit) {
  return 0 - (value >> bit & 1);
}

/// Inverts the lower bits of `x` if the bit is set in `other`, else exchanges the lower bits of the two.
COPSE_HD inline void turn_lower_bits(u32& x, u32& other, u32 bit) {
  const u32 lower = (1u << bit) - 1, is_set = mask_of_bit(other, bit);
  const u32 exchanged = (x ^ other) & lower & ~is_set;
  x ^= exchanged | (lower & is_set);
  other ^= exchanged;
}

/// Each bit becomes the parity of the bits above it.
COPSE_HD inline u32 parity_of_higher_bits(u32 x) {
  x >>= 1;
  x ^= x >> 1;
  x ^= x >> 2;
  x ^= x >> 4;
  x ^= x >> 8;
  return x ^ x >> 16;
}

}  // namespace detail

/// Returns the place of a cell on the Hilbert curve through 2^21 cells per axis, in 63 bits.
COPSE_HD inline u64 hilbert_code(u32 x, u32 y, u32 z) {
  for (u32 bit = 20; bit > 0; --bit) {
    x ^= detail::mask_of_bit(x, bit) & ((1u << bit) - 1);
    detail::turn_lower_bits(x, y, bit);
    detail::turn_lower_bits(x, z, bit);
  }
  y ^= x;
  z ^= y;
  const u32 parity = detail::parity_of_higher_bits(z);
  return morton_code(x ^ parity, y ^ parity, z ^ parity);
}

/// The cells of the Hilbert keys of points in a box. Make it once for many keys: it divides. A long box is cut
/// into nearly cubes by bits in turns, as for Morton keys; the curve runs through each of these.
struct HilbertGrid {
  MortonGrid cells;

  COPSE_HD static HilbertGrid of(const Aabb& bounds) { return {MortonGrid::of(bounds)}; }

  /// Returns the key, of morton_key_bits bits, of a point inside the box. Points outside have the key of a cell at
  /// its border.
  COPSE_HD u64 key(const vec3& p) const {
    const uvec3 cell = cells.cell(p);
    const u32 in_cube = (1u << (cells.turns.count - cells.turns.early)) - 1;  // bits of turns with all axes
    const u64 code = hilbert_code(cell.x & in_cube, cell.y & in_cube, cell.z & in_cube);
    return cells.turns.early == 0 ? code : cells.behind_early_bits(cell, code);
  }
};

/// Returns the Hilbert key of a point inside `bounds`.
COPSE_HD inline u64 hilbert_key(const vec3& p, const Aabb& bounds) {
  return HilbertGrid::of(bounds).key(p);
}

}  // namespace copse
