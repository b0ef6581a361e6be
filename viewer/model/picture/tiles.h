#pragma once

#include "primitives/core/bits.h"

namespace copse::viewer {

/// The order of the rays of a picture: tiles of 8 x 8 pixels, so that neighbouring rays visit the same nodes.
/// Pictures are extended to whole tiles. The rays beyond their edges hit nothing.
struct Tiles {
  static constexpr u32 edge = 8;

  u32 width = 0, height = 0;  // of the picture

  COPSE_HD u32 across() const { return (width + edge - 1) / edge; }
  COPSE_HD u64 ray_count() const { return u64{across()} * divide_rounding_up(height, edge) * edge * edge; }

  /// Finds the pixel of a ray. Returns false if it is past the edge.
  COPSE_HD bool pixel_of(u64 ray, u32& x, u32& y) const {
    // Pictures have at most 2^28 pixels, so 32 bits are enough. A GPU divides 64-bit numbers slowly.
    const u32 tile = u32(ray / (edge * edge)), within = u32(ray % (edge * edge));
    x = tile % across() * edge + within % edge;
    y = tile / across() * edge + within / edge;
    return x < width && y < height;
  }

  /// The ray of a pixel.
  COPSE_HD u64 ray_of(u32 x, u32 y) const {
    return ((y / edge) * u64{across()} + x / edge) * edge * edge + (y % edge) * edge + x % edge;
  }
};

}  // namespace copse::viewer
