#pragma once

// Tests if a point is inside a closed mesh, for the host and for kernels. For batches: queries/point_queries.h.

#include "builders/geometry/point_triangle.h"
#include "queries/overlaps/overlap_traversal.h"
#include "trace/masked_triangles.h"

namespace copse {

namespace detail {

/// A ray along an axis: from `origin` towards larger or smaller coordinates of `axis`.
struct AxisRay {
  vec3 origin;
  u32 axis;  // 0, 1 or 2
  bool is_forward;

  /// A vertex relative to the origin; z is along the ray.
  COPSE_HD vec3 see(const vec3& vertex) const {
    const vec3 p = sub_rn(vertex, origin);
    if (axis == 0) return vec3(p.y, p.z, is_forward ? p.x : -p.x);
    if (axis == 1) return vec3(p.z, p.x, is_forward ? p.y : -p.y);
    return vec3(p.x, p.y, is_forward ? p.z : -p.z);
  }

  /// True if the ray hits a box. The result is exact, since rounding keeps the signs of differences.
  COPSE_HD bool operator()(const vec3& lo, const vec3& hi) const {
    const vec3 a = see(lo), b = see(hi);
    return a.x <= 0 && b.x >= 0 && a.y <= 0 && b.y >= 0 && (is_forward ? b.z : a.z) >= 0;
  }
};

/// Returns on which side of the line from p to q the origin is, 1 or -1, or 0 if p and q are equal. The origin is
/// treated as if it were at (e, e^2), for an infinitely small positive e. So it is on no line, and no ray hits an
/// edge or a vertex.
///
///   (q.x - e)(p.y - e^2) - (q.y - e^2)(p.x - e)
///     = q.x p.y - q.y p.x + e (q.y - p.y) + e^2 (p.x - q.x)
///
/// Products of floats are exact in double precision, and rounding keeps their order, so the sign of the difference is
/// exact.
///
/// Source: Edelsbrunner, Mücke, "Simulation of Simplicity", ACM TOG 1990.
COPSE_HD inline int side_of(const vec3& p, const vec3& q) {
  const double products[2] = {mul_rn(double(q.x), double(p.y)), mul_rn(double(q.y), double(p.x))};
  if (products[0] != products[1]) return products[0] > products[1] ? 1 : -1;
  if (q.y != p.y) return q.y > p.y ? 1 : -1;
  if (q.x != p.x) return p.x > q.x ? 1 : -1;
  return 0;
}

/// The coordinate along the ray at which it meets the plane of a triangle, times a positive number.
COPSE_HD inline double height_over(const vec3& a, const vec3& b, const vec3& c) {
  const dvec3 p = to_double(a), q = to_double(b), r = to_double(c);
  const double u = sub_rn(mul_rn(r.x, q.y), mul_rn(r.y, q.x));
  const double v = sub_rn(mul_rn(p.x, r.y), mul_rn(p.y, r.x));
  const double w = sub_rn(mul_rn(q.x, p.y), mul_rn(q.y, p.x));
  const double height = add_rn(add_rn(mul_rn(u, p.z), mul_rn(v, q.z)), mul_rn(w, r.z));
  return add_rn(add_rn(u, v), w) < 0 ? -height : height;
}

/// Returns true if the ray crosses a triangle.
COPSE_HD inline bool crosses(const AxisRay& ray, const Triangle& triangle) {
  const vec3 a = ray.see(triangle.a), b = ray.see(triangle.b), c = ray.see(triangle.c);
  const int side = side_of(a, b);
  if (side == 0 || side_of(b, c) != side || side_of(c, a) != side) return false;
  const bool is_before = a.z >= 0 && b.z >= 0 && c.z >= 0;
  return is_before || height_over(a, b, c) > 0;
}

/// Test of a traversal: counts the triangles that the ray crosses.
template <class Triangles>
struct CountCrossings {
  static constexpr bool takes_places = Triangles::takes_places;

  Triangles triangles;
  AxisRay ray;
  u32 count = 0;

  COPSE_HD bool operator()(u32 at) {
    if (!triangles.sees(at)) return false;
    const Triangle triangle = triangles.triangle(at);
    if (is_finite(triangle) && crosses(ray, triangle)) ++count;
    return false;
  }
};
template <class Triangles>
CountCrossings(Triangles, AxisRay) -> CountCrossings<Triangles>;

/// The axis ray that leaves the box by the shortest way, so that it crosses few triangles.
COPSE_HD inline AxisRay shortest_way_out(const vec3& point, const Aabb& box) {
  AxisRay ray{point, 0, true};
  float shortest = infinity;
  const vec3 up = sub_rn(box.hi, point), down = sub_rn(point, box.lo);
  for (u32 axis = 0; axis < 3; ++axis) {
    const float ways[2] = {axis == 0   ? down.x
                           : axis == 1 ? down.y
                                       : down.z,
                           axis == 0   ? up.x
                           : axis == 1 ? up.y
                                       : up.z};
    for (u32 forward = 0; forward < 2; ++forward) {
      if (ways[forward] < shortest) {
        shortest = ways[forward];
        ray.axis = axis;
        ray.is_forward = forward == 1;
      }
    }
  }
  return ray;
}

/// Finds the ray of is_inside. False if the point is outside the box of the scene.
COPSE_HD inline bool find_way_out(const vec3& point, const Aabb& box, AxisRay& ray) {
  const bool is_in_box = box.lo.x <= point.x && point.x <= box.hi.x && box.lo.y <= point.y &&
                         point.y <= box.hi.y && box.lo.z <= point.z && point.z <= box.hi.z;
  if (is_in_box) ray = shortest_way_out(point, box);
  return is_in_box;
}

}  // namespace detail

/// Returns true if a point is inside a closed mesh: a ray from it crosses an odd number of triangles. False for
/// points that are NaN or infinite.
///
/// A mesh is closed if an even number of triangles share each edge, by the positions of its ends. Winding does not
/// matter. So the common part of two overlapping bodies is outside. A ray never slips through an edge or a vertex,
/// and never counts one twice. For points on the surface itself, within rounding, the answer may be either, the same
/// on every backend. If the mesh is not closed, the answer has no meaning.
///   tree:            a BvhView, or any type with overloads of root_box and walk_overlaps
///   triangles:       as for nearest_point (queries/nearest_point.h)
///   tree, triangles: in memory that the caller can read: in a kernel, the device's
template <u32 stack_size = detail::walk_stack_size, class Tree, class Triangles>
COPSE_HD inline bool is_inside(const Tree& tree, const Triangles& triangles, const vec3& point) {
  detail::AxisRay ray;
  if (!detail::find_way_out(point, root_box(tree), ray)) return false;
  detail::CountCrossings crossings{detail::triangles_of(triangles), ray};
  walk_overlaps<stack_size>(tree, ray, crossings);
  return crossings.count % 2 == 1;
}

template <u32 stack_size = detail::walk_stack_size, class Tree>
COPSE_HD inline bool is_inside(const Tree& tree, const TriangleView& triangles, const vec3& point) {
  return is_inside<stack_size>(tree, TriangleTable{triangles}, point);
}

}  // namespace copse
