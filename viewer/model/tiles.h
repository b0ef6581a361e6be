#pragma once

#include "primitives/core/bits.h"

namespace copse::viewer {

/// The order in which the rays of a picture stand: tiles of 8 x 8 pixels, so that neighbours visit the same nodes.
/// Pictures are filled up to whole tiles; the rays beyond their edges are no rays.
struct Tiles {
  static constexpr u32 edge = 8;

  u32 width = 0, height = 0;  // of the picture

  COPSE_HD u64 across() const { return divide_rounding_up(width, edge); }
  COPSE_HD u64 ray_count() const { return across() * divide_rounding_up(height, edge) * edge * edge; }

  /// The pixel of a ray; false where that is past the edge.
  COPSE_HD bool pixel_of(u64 ray, u32& x, u32& y) const {
    const u64 tile = ray / (edge * edge);
    const u32 within = u32(ray % (edge * edge));
    x = u32(tile % across()) * edge + within % edge;
    y = u32(tile / across()) * edge + within / edge;
    return x < width && y < height;
  }

  /// The ray of a pixel.
  COPSE_HD u64 ray_of(u32 x, u32 y) const {
    return ((y / edge) * across() + x / edge) * edge * edge + (y % edge) * edge + x % edge;
  }
};

}  // namespace copse::viewer
