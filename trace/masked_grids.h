#pragma once

// Rays through grids that see some geometries and pass over others, for the host and for kernels: what
// trace/masked_triangles.h is for trees.

#include "trace/frustum_march.h"
#include "trace/grid_march.h"
#include "trace/masked_triangles.h"

namespace copse {

/// The closest hit among the triangles that share a bit with `mask`; else as closest_hit.
COPSE_HD inline Hit closest_hit_masked(const GridView& grid, const TriangleTable& triangles, const Ray& ray,
                                       u32 mask) {
  detail::MaskedTest test(detail::ClosestTriangle(detail::triangles_of(triangles), ray),
                          detail::TableMasks{&triangles}, mask);
  NoCounter counter;
  return test.hit(march(grid, ray, test, counter));
}

/// The same for a ray from the eye of a frustum grid, through its screen.
COPSE_HD inline Hit closest_hit_masked(const FrustumGridView& grid, const TriangleTable& triangles, const Ray& ray,
                                       u32 mask) {
  detail::MaskedTest test(detail::ClosestTriangle(detail::triangles_of(triangles), ray),
                          detail::TableMasks{&triangles}, mask);
  NoCounter counter;
  return test.hit(detail::march_own_tile(grid, ray, test, counter));
}

/// True where the ray hits any triangle that shares a bit with `mask`.
COPSE_HD inline bool any_hit_masked(const GridView& grid, const TriangleTable& triangles, const Ray& ray,
                                    u32 mask) {
  detail::MaskedTest test(detail::AnyTriangle(detail::triangles_of(triangles), ray),
                          detail::TableMasks{&triangles}, mask);
  NoCounter counter;
  march(grid, ray, test, counter);
  return test.found;
}

}  // namespace copse
