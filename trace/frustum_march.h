#pragma once

// Traces rays from the eye of a frustum grid, on the host and in kernels. There is nothing else to link.
//
//   copse::Hit hit = copse::closest_hit(grid.view(), triangles, ray);   // a TriangleView or TriangleTable
//
// A ray from the eye stays in one tile. The walk tests the lists of the tile front to back. A triangle in the list of
// one slab may be hit in a later slab. So a hit is the closest only when the walk has finished the slab of the hit. A
// triangle in several slabs is tested in each, which does no harm.
//
// Source: Patidar, Narayanan, "Scalable Split and Gather Primitives for the GPU", 2009, section 5.2.

#include "builders/grid/frustum_layout.h"
#include "trace/camera.h"
#include "trace/traverse.h"

namespace copse {

namespace detail {

/// Tolerance in slabs: a computed hit may seem to lie this far behind the slab that lists its triangle. It is larger
/// than all rounding errors.
inline constexpr double slab_slack = 1.0 / 64;

/// Maps the t of a hit on a ray from the eye to its slab.
struct SlabOfHit {
  double nearest_inverse, slabs_per_unit;
  double depth_per_t;
  u32 slab_count;

  COPSE_HD static SlabOfHit along(const FrustumShape& frustum, const GridShape& cells, const vec3& direction) {
    const double depth_per_t = FrustumShape::dot(frustum.z, dvec3(direction));
    return {-cells.lo.x, cells.cells_per_unit.x, depth_per_t, cells.resolution.x};
  }

  /// The last slab in which the hit may be listed.
  COPSE_HD u32 at(float t) const {
    const double slab = (nearest_inverse - 1.0 / (double(t) * depth_per_t)) * slabs_per_unit + slab_slack;
    return slab > 0 ? (slab < double(slab_count) ? u32(slab) : slab_count - 1) : 0;
  }
};

/// The tile of a coordinate from -1 to 1. Beyond the screen it is the outermost tile.
COPSE_HD inline u32 tile_along(double place, u32 tile_count) {
  const double tile = (place + 1.0) * 0.5 * tile_count;
  return tile > 0 ? (tile < double(tile_count) ? u32(tile) : tile_count - 1) : 0;
}

/// The tile of a ray from the eye: the number of its first cell over the number of slabs.
COPSE_HD inline u32 tile_of_ray(const FrustumShape& frustum, const GridShape& cells, const Ray& ray) {
  const dvec3 d(ray.direction);
  const double z = FrustumShape::dot(frustum.z, d);
  const u32 across = tile_along(FrustumShape::dot(frustum.x, d) / z, cells.resolution.y);
  const u32 down = tile_along(FrustumShape::dot(frustum.y, d) / z, cells.resolution.z);
  return down * cells.resolution.y + across;
}

/// The first pixel whose middle lies in a tile, along one axis of an image of `pixel_count` pixels: the smallest x
/// with (2 x + 1) tile_count >= 2 pixel_count tile.
COPSE_HD inline u32 first_pixel(u32 tile, u32 tile_count, u32 pixel_count) {
  const u64 reach = u64{2} * pixel_count * tile;
  return reach <= tile_count ? 0 : u32(divide_rounding_up(reach - tile_count, u64{2} * tile_count));
}

COPSE_HD inline Camera camera_of(const ViewFrustum& frustum) {
  return {frustum.eye, frustum.forward, frustum.right, frustum.up};
}

}  // namespace detail

/// Calls `leaf_test(primitive, limit)` for the triangles of a tile front to back, up to the slab of `limit`,
/// several times for triangles in several slabs. The limit starts at the ray's t_max. Returns the last limit.
///   leaf_test: as for traverse() in trace/traverse.h
template <class LeafTest, class Counter>
COPSE_HD inline float march_tile(const FrustumGridView& grid, u32 tile, const Ray& ray, LeafTest& leaf_test,
                                 Counter& counter) {
  const GridShape& cells = *grid.cells.shape.data();
  const detail::SlabOfHit slab_of = detail::SlabOfHit::along(*grid.shape.data(), cells, ray.direction);
  const u32* const begins = grid.cells.cell_begins.data() + u64{tile} * cells.resolution.x;
  float limit = ray.t_max;
  u32 last = slab_of.at(limit);
  for (u32 slab = 0; slab <= last; ++slab) {
    const u32 end = begins[slab + 1];
    const float limit_before = limit;
    counter.count_node();
    for (u32 k = begins[slab]; k < end; ++k) {
      counter.count_primitive();
      if (leaf_test(grid.cells.primitive_ids.data()[k], limit)) return limit;
    }
    if (limit != limit_before) last = slab_of.at(limit);
  }
  return limit;
}

namespace detail {

/// Calls march_tile for the tile that the ray is in.
template <class LeafTest, class Counter>
COPSE_HD inline float march_own_tile(const FrustumGridView& grid, const Ray& ray, LeafTest& leaf_test,
                                     Counter& counter) {
  if (!is_traceable(ray)) return ray.t_max;
  const u32 tile = tile_of_ray(*grid.shape.data(), *grid.cells.shape.data(), ray);
  return march_tile(grid, tile, ray, leaf_test, counter);
}

}  // namespace detail

/// march_tile for the tile that the ray is in. closest_hit and any_hit of trace/traverse.h call it. `stack_size`
/// is not needed.
///   ray: from the eye of the grid's frustum, through its screen; other rays miss triangles that they should hit
template <u32 stack_size = default_stack_size, TakesIds LeafTest, class Counter>
COPSE_HD inline float traverse(const FrustumGridView& grid, const Ray& ray, LeafTest& leaf_test,
                               Counter& counter) {
  return detail::march_own_tile(grid, ray, leaf_test, counter);
}

}  // namespace copse
