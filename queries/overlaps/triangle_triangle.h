#pragma once

#include "builders/geometry/triangle.h"
#include "queries/overlaps/separating_axis.h"

namespace copse {

namespace detail {

COPSE_HD inline bool separates(const dvec3& axis, const Corners& a, const Corners& b, double largest) {
  return are_apart(a.along(axis), b.along(axis), axis_slack(axis, largest));
}

/// The longer of two normals. If only one triangle has an area, this is its normal.
COPSE_HD inline dvec3 longer(const dvec3& a, const dvec3& b) {
  return dot_rn(a, a) >= dot_rn(b, b) ? a : b;
}

}  // namespace detail

/// Returns true if two triangles have a point in common, edges and corners included. Tests separating axes in
/// double precision: the two normals, the cross products of their edges, and, for triangles in one plane, the
/// cross products of the normal with each edge. Triangles that touch are never missed. Triangles that pass closer
/// than 2^-48 of their size may count, and so may two triangles that both have no area. Triangles with NaN or
/// infinite vertices touch nothing.
///
/// Source: Gottschalk, Lin, Manocha, "OBBTree", SIGGRAPH 1996, for the axes. Möller, "A Fast Triangle-Triangle
/// Intersection Test", JGT 1997, is faster, by the line where the two planes meet, but needs another test for
/// triangles in one plane.
COPSE_HD inline bool touches(const Triangle& s, const Triangle& t) {
  const Aabb around_s = bounds(s), around_t = bounds(t);
  if (is_empty(around_s) || is_empty(around_t) || is_empty(intersection(around_s, around_t))) return false;

  const dvec3 from = to_double(s.a);
  const detail::Corners a{{dvec3(0), sub_rn(to_double(s.b), from), sub_rn(to_double(s.c), from)}};
  const detail::Corners b{
      {sub_rn(to_double(t.a), from), sub_rn(to_double(t.b), from), sub_rn(to_double(t.c), from)}};
  const double largest = larger(a.largest_coordinate(), b.largest_coordinate());
  const dvec3 normal_a = a.normal(), normal_b = b.normal();
  if (detail::separates(normal_a, a, b, largest) || detail::separates(normal_b, a, b, largest)) return false;
  for (u32 i = 0; i < 3; ++i) {
    const dvec3 edge = a.edge(i);
    for (u32 j = 0; j < 3; ++j) {
      if (detail::separates(cross_rn(edge, b.edge(j)), a, b, largest)) return false;
    }
  }
  const dvec3 normal = detail::longer(normal_a, normal_b);
  for (u32 i = 0; i < 3; ++i) {
    if (detail::separates(cross_rn(normal, a.edge(i)), a, b, largest) ||
        detail::separates(cross_rn(normal, b.edge(i)), a, b, largest)) {
      return false;
    }
  }
  return true;
}

/// Returns true if two triangles have a corner at the same place, as neighbours in a mesh have.
COPSE_HD inline bool share_a_corner(const Triangle& s, const Triangle& t) {
  return s.a == t.a || s.a == t.b || s.a == t.c || s.b == t.a || s.b == t.b || s.b == t.c || s.c == t.a ||
         s.c == t.b || s.c == t.c;
}

}  // namespace copse
