#pragma once

#include "builders/geometry/triangle_table.h"
#include "trace/frustum_march.h"

namespace copse::detail {

/// The picture that a frustum grid was made for.
struct FrustumImage {
  FrustumGridView grid;
  TriangleTable triangles;
  u32 width, height;
  Hit* hits;  // row by row from the top

  COPSE_HD u32 tile_count() const { return grid.resolution.x * grid.resolution.y; }
  COPSE_HD Ray ray(u32 x, u32 y) const { return camera_ray(camera_of(grid.frustum), x, y, width, height); }
};

/// The pixels of a tile. There may be none.
struct TilePixels {
  u32 left, top, width, height;

  COPSE_HD static TilePixels of(const FrustumImage& image, u32 tile) {
    const uvec3& tiles = image.grid.resolution;
    const u32 across = tile % tiles.x, down = tile / tiles.x;
    const u32 left = first_pixel(across, tiles.x, image.width), top = first_pixel(down, tiles.y, image.height);
    return {left, top, first_pixel(across + 1, tiles.x, image.width) - left,
            first_pixel(down + 1, tiles.y, image.height) - top};
  }
  COPSE_HD u32 count() const { return width * height; }
};

}  // namespace copse::detail
