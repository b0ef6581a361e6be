#pragma once

// The point of a surface that is nearest to a point, for the host and for kernels, with nothing else to link.
//
//   copse::NearestPoint nearest = copse::nearest_point(bvh.view(), triangles, point);
//
// In bulk: queries/point_queries.h.

#include "builders/geometry/triangle_table.h"
#include "queries/nearest/nearest_walk.h"
#include "queries/nearest/point_triangle.h"

namespace copse {

/// A point of a surface. Where none was found, primitive and geometry are invalid_id, distance is infinite and the
/// rest 0.
struct NearestPoint {
  vec3 point;
  float distance;
  u32 primitive;  // number of the triangle in its view
  u32 geometry;   // the view's geometry id
  float u, v;     // the point is (1 - u - v) a + u b + v c
};

static_assert(sizeof(NearestPoint) == 32);

COPSE_HD inline bool is_found(const NearestPoint& nearest) {
  return nearest.primitive != invalid_id;
}

namespace detail {

/// The square of a distance; below 0, so that nothing is near enough, where the distance is negative or NaN.
COPSE_HD inline float square_limit(float distance) {
  return distance >= 0 ? mul_rn(distance, distance) : -1.0f;
}

/// Test of a walk: keeps the smallest (square of the distance, primitive).
struct NearestTriangle {
  const TriangleTable& triangles;
  vec3 from;
  TrianglePoint best;
  u32 primitive = invalid_id;

  COPSE_HD bool operator()(u32 id, float& limit) {
    const Triangle triangle = triangles.triangle(id);
    if (!is_finite(triangle)) return false;  // left out, but a refit may leave it in a leaf
    const TrianglePoint found = nearest_on_triangle(triangle, from);
    if (found.square < best.square || (found.square == best.square && id < primitive)) {
      best = found;
      primitive = id;
      limit = found.square;
    }
    return false;
  }
};

}  // namespace detail

/// The nearest point of all triangles no farther than `max_distance`: that of the smallest (square of the
/// distance, primitive id through all views). None where the point or the limit is NaN, the point infinite or the
/// limit negative. Distances above 2^64 count as equal, and so do those below 2^-75.
///   tree, triangles: in memory that the caller can read: the device's in a kernel; BvhView and what has an
///   overload
///                    of walk_nearest_first
template <u32 stack_size = detail::walk_stack_size, class Tree>
COPSE_HD inline NearestPoint nearest_point(const Tree& tree, const TriangleTable& triangles, const vec3& point,
                                           float max_distance = infinity) {
  const float limit = detail::square_limit(max_distance);
  detail::NearestTriangle nearest{triangles, point, {vec3(0.0f), limit, 0, 0}};
  if (is_finite(point)) walk_nearest_first<stack_size>(tree, SquareDistance{point}, limit, nearest);
  if (nearest.primitive == invalid_id) return {vec3(0.0f), infinity, invalid_id, invalid_id, 0, 0};
  return {add_rn(point, nearest.best.offset),
          sqrt_rn(nearest.best.square),
          triangles.local_id(nearest.primitive),
          triangles.geometry(nearest.primitive),
          nearest.best.u,
          nearest.best.v};
}

template <u32 stack_size = detail::walk_stack_size, class Tree>
COPSE_HD inline NearestPoint nearest_point(const Tree& tree, const TriangleView& triangles, const vec3& point,
                                           float max_distance = infinity) {
  return nearest_point<stack_size>(tree, TriangleTable{triangles}, point, max_distance);
}

}  // namespace copse
