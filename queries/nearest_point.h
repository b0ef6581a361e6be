#pragma once

// The point of a surface that is nearest to a given point, for the host and for kernels, with nothing else to
// link.
//
//   copse::NearestPoint nearest = copse::nearest_point(bvh.view(), triangles, point);
//
// For batches: queries/point_queries.h.

#include "builders/geometry/point_triangle.h"
#include "queries/nearest/nearest_walk.h"
#include "trace/masked_triangles.h"

namespace copse {

/// A point of a surface. If none was found, primitive and geometry are invalid_id, distance is infinite and all
/// else is 0.
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

/// The square of a distance. For a negative distance or NaN it is negative, so that nothing is within it.
COPSE_HD inline float square_limit(float distance) {
  return distance >= 0 ? mul_rn(distance, distance) : -1.0f;
}

/// Test of a traversal: keeps the smallest (square of the distance, primitive).
template <class Triangles>
struct NearestTriangle {
  static constexpr bool takes_places = Triangles::takes_places;

  Triangles triangles;
  vec3 from;
  TrianglePoint best;
  u32 primitive = invalid_id;
  u32 nearest_at = invalid_id;  // number by which the triangle is fetched

  COPSE_HD bool operator()(u32 at, float& limit) {
    if (!triangles.sees(at)) return false;
    const Triangle triangle = triangles.triangle(at);
    if (!is_finite(triangle)) return false;  // a refit may leave such a triangle in a leaf
    const TrianglePoint found = nearest_on_triangle(triangle, from);
    if (found.square < best.square || (found.square == best.square && triangles.primitive(at) < primitive)) {
      best = found;
      primitive = triangles.primitive(at);
      nearest_at = at;
      limit = found.square;
    }
    return false;
  }
};
template <class Triangles>
NearestTriangle(Triangles, vec3, TrianglePoint) -> NearestTriangle<Triangles>;

}  // namespace detail

/// Returns the nearest point of all triangles that are no farther than `max_distance`. Among equal squares of the
/// distance, the smallest primitive id through all views wins. Finds none if the point or the limit is NaN, the
/// point is infinite or the limit is negative. Distances above 2^64 count as equal, and so do distances below
/// 2^-75.
///   tree:            a BvhView, or any type with an overload of walk_nearest_first
///   triangles:       a TriangleView, a TriangleTable, the span of PackedTriangles that were made for this tree, or the
///                    result of masked() for one of them
///   tree, triangles: in memory that the caller can read: in a kernel, the device's
template <u32 stack_size = detail::walk_stack_size, class Tree, class Triangles>
COPSE_HD inline NearestPoint nearest_point(const Tree& tree, const Triangles& triangles, const vec3& point,
                                           float max_distance = infinity) {
  const float limit = detail::square_limit(max_distance);
  detail::NearestTriangle nearest{detail::triangles_of(triangles), point, {vec3(0.0f), limit, 0, 0}};
  if (is_finite(point)) walk_nearest_first<stack_size>(tree, SquareDistance{point}, limit, nearest);
  if (nearest.primitive == invalid_id) return {vec3(0.0f), infinity, invalid_id, invalid_id, 0, 0};
  return {add_rn(point, nearest.best.offset),
          sqrt_rn(nearest.best.square),
          nearest.triangles.local_id(nearest.nearest_at),
          nearest.triangles.geometry(nearest.nearest_at),
          nearest.best.u,
          nearest.best.v};
}

template <u32 stack_size = detail::walk_stack_size, class Tree>
COPSE_HD inline NearestPoint nearest_point(const Tree& tree, const TriangleView& triangles, const vec3& point,
                                           float max_distance = infinity) {
  return nearest_point<stack_size>(tree, TriangleTable{triangles}, point, max_distance);
}

}  // namespace copse
