// Pictures and rays through a frustum grid. Rays are sorted by tile first, so that neighbouring threads read the same
// lists.

#include "builders/geometry/make_triangle_table.h"
#include "primitives/inputs.h"
#include "primitives/radix_key.h"
#include "primitives/radix_sort.h"
#include "primitives/reduce.h"
#include "trace/grids/frustum_image.h"
#include "trace/masked_triangles.h"

namespace copse::detail {

namespace {

struct StrayRay {
  FrustumGridView grid;
  BufferSpan<const Ray> rays;
  COPSE_HD u64 operator()(u64 i) const {
    const Ray ray = rays.data()[i];
    if (!is_traceable(ray)) return rays.size();
    return ray.origin == grid.frustum.eye && ray.t_min >= 0 && is_on_screen(ray) ? rays.size() : i;
  }

  /// If a ray passes the edge of the screen by less than a unit, it still finds all its hits: the lists of cells
  /// reach farther out.
  COPSE_HD bool is_on_screen(const Ray& ray) const {
    const FrustumShape& frustum = *grid.shape.data();
    const dvec3 d(ray.direction);
    const double z = FrustumShape::dot(frustum.z, d);
    return z > 0 && is_between(FrustumShape::dot(frustum.x, d) / z, grid.resolution.x) &&
           is_between(FrustumShape::dot(frustum.y, d) / z, grid.resolution.y);
  }
  COPSE_HD static bool is_between(double place, u32 tile_count) {
    const double reach = 1.0 + 2.0 / (double(units_per_cell) * tile_count);
    return place >= -reach && place <= reach;
  }
};

/// The tile of a ray. For a ray that hits nothing, any tile will do.
struct TileOfRay {
  FrustumGridView grid;
  const Ray* rays;
  COPSE_HD u32 operator()(u64 i) const {
    return is_traceable(rays[i]) ? tile_of_ray(*grid.shape.data(), *grid.cells.shape.data(), rays[i]) : 0;
  }
};

template <class Source>
struct TraceBinnedRay {
  FrustumGridView grid;
  Source triangles;
  const Ray* rays;
  const u32* order;
  Hit* hits;
  COPSE_HD void operator()(u64 i) const {
    const u32 ray = order[i];
    hits[ray] = closest_hit(grid, triangles_of_ray(triangles, ray), rays[ray]);
  }
};

struct TraceMaskedPixel {
  FrustumImage image;
  BatchMasks masks;
  COPSE_HD void operator()(u64 i) const {
    const Ray ray = image.ray(u32(i % image.width), u32(i / image.width));
    image.hits[i] = closest_hit(image.grid, masked(image.triangles, masks.of_ray(i)), ray);
  }
};

BitRange bits_of_tiles(const FrustumGridView& grid) {
  return {0, 64 - leading_zeros(u64{grid.resolution.x} * grid.resolution.y)};
}

}  // namespace

template <class Executor>
void trace_frustum_pixels(const Executor& ex, const FrustumGridView& grid, std::span<const TriangleView> views,
                          u32 width, u32 height, const BatchMasks* masks, Hit* hits) {
  ScratchArena::Frame frame(ex.scratch);
  const FrustumImage image{grid, make_triangle_table(ex, frame, views), width, height, hits};
  if (masks == nullptr) {
    trace_frustum_image(ex, image);
  } else {
    for_each(ex, "frustum: image with masks", u64{width} * height, TraceMaskedPixel{image, *masks});
  }
}

template <class Executor>
void find_stray_ray(const Executor& ex, const FrustumGridView& grid, BufferSpan<const Ray> rays, u64* first) {
  reduce(ex, "frustum: stray rays", rays.size(), StrayRay{grid, rays}, rays.size(), Smaller{}, first);
}

/// Returns the numbers of the rays, sorted by tile.
template <class Executor>
u32* bin_rays(const Executor& ex, ScratchArena::Frame& frame, const FrustumGridView& grid,
              BufferSpan<const Ray> rays) {
  const u64 n = rays.size();
  u32* tiles = frame.allocate<u32>(n);
  u32* order = frame.allocate<u32>(n);
  radix_sort_pairs(ex, "frustum: bin rays", n, TileOfRay{grid, rays.data()}, Index{}, tiles, order,
                   bits_of_tiles(grid));
  return order;
}

template <class Executor>
void trace_frustum_rays(const Executor& ex, const FrustumGridView& grid, std::span<const TriangleView> views,
                        BufferSpan<const Ray> rays, const BatchMasks* masks, Hit* hits) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  const u32* const order = bin_rays(ex, frame, grid, rays);
  if (masks == nullptr) {
    const TraceBinnedRay<TriangleTable> trace{grid, triangles, rays.data(), order, hits};
    for_each(ex, "frustum: rays", rays.size(), trace);
  } else {
    const TraceBinnedRay<WithMasks<TriangleTable>> trace{grid, {triangles, *masks}, rays.data(), order, hits};
    for_each(ex, "frustum: rays with masks", rays.size(), trace);
  }
}

template void trace_frustum_pixels(const BodyExecutor&, const FrustumGridView&, std::span<const TriangleView>, u32,
                                   u32, const BatchMasks*, Hit*);
template void find_stray_ray(const BodyExecutor&, const FrustumGridView&, BufferSpan<const Ray>, u64*);
template void trace_frustum_rays(const BodyExecutor&, const FrustumGridView&, std::span<const TriangleView>,
                                 BufferSpan<const Ray>, const BatchMasks*, Hit*);

}  // namespace copse::detail
