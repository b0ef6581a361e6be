#pragma once

#include "primitives/cpu/workers.h"
#include "trace/grids/frustum_image.h"

namespace copse::cpu {

/// Stores the closest hit of every pixel. It goes tile by tile and ray by ray, so that a tile's triangles stay in
/// the caches.
inline void trace_frustum_image(const Executor& ex, const copse::detail::FrustumImage& image) {
  using namespace copse::detail;
  constexpr u64 tiles_at_once = 16;
  const auto source = triangles_of(image.triangles);
  NoCounter counter;
  parallel_ranges(ex, "frustum: image", image.tile_count(), tiles_at_once, [&](u64 begin, u64 end) {
    for (u64 tile = begin; tile < end; ++tile) {
      const TilePixels pixels = TilePixels::of(image, u32(tile));
      for (u32 k = 0; k < pixels.count(); ++k) {
        const u32 x = pixels.left + k % pixels.width, y = pixels.top + k / pixels.width;
        const Ray ray = image.ray(x, y);
        ClosestTriangle closest(source, ray);
        const float limit =
            is_traceable(ray) ? march_tile(image.grid, u32(tile), ray, closest, counter) : ray.t_max;
        image.hits[u64{y} * image.width + x] = closest.hit(limit);
      }
    }
  });
}

}  // namespace copse::cpu
