#pragma once

#include "builders/geometry/triangle.h"
#include "queries/overlaps/separating_axis.h"

namespace copse {

namespace detail {

/// Half the length of a box's projection on an axis.
COPSE_HD inline double box_reach(const dvec3& half, const dvec3& axis) {
  return add_rn(add_rn(mul_rn(half.x, magnitude(axis.x)), mul_rn(half.y, magnitude(axis.y))),
                mul_rn(half.z, magnitude(axis.z)));
}

COPSE_HD inline bool separates_box(const dvec3& axis, const Corners& corners, const dvec3& half, double largest) {
  const double reach = box_reach(half, axis);
  return are_apart(corners.along(axis), {-reach, reach}, axis_slack(axis, largest));
}

COPSE_HD inline bool contains(const Aabb& box, const vec3& p) {
  return box.lo.x <= p.x && p.x <= box.hi.x && box.lo.y <= p.y && p.y <= box.hi.y && box.lo.z <= p.z &&
         p.z <= box.hi.z;
}

/// The corners of a triangle relative to the middle of a box.
COPSE_HD inline Corners seen_from(const dvec3& middle, const Triangle& t) {
  return {{sub_rn(to_double(t.a), middle), sub_rn(to_double(t.b), middle), sub_rn(to_double(t.c), middle)}};
}

}  // namespace detail

/// Returns true if a triangle has a point in a box, faces included. Tests 13 axes in double precision: a triangle
/// that touches the box is never missed, and one that passes closer than 2^-48 of its size may be reported. The box
/// may be infinite. Empty and NaN boxes have no points, and neither have triangles with NaN or infinite vertices.
///
/// Source: Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing", JGT 2001. Where we differ: corners in the box and
/// the axes of the box are tested first, exactly. The other axes are tested against the intersection of the box and
/// the triangle's box.
COPSE_HD inline bool touches(const Aabb& box, const Triangle& triangle) {
  const Aabb around = bounds(triangle);
  const Aabb part = intersection(box, around);
  if (is_empty(box) || is_empty(around) || is_empty(part)) return false;
  const bool has_corner =
      detail::contains(box, triangle.a) || detail::contains(box, triangle.b) || detail::contains(box, triangle.c);
  if (has_corner || part == around) return true;

  const dvec3 lo = to_double(part.lo), hi = to_double(part.hi);
  const dvec3 middle = mul_rn(add_rn(lo, hi), 0.5), half = mul_rn(sub_rn(hi, lo), 0.5);
  const detail::Corners corners = detail::seen_from(middle, triangle);
  const double largest = larger(corners.largest_coordinate(), largest_component(half));
  if (detail::separates_box(corners.normal(), corners, half, largest)) return false;
  for (u32 i = 0; i < 3; ++i) {
    const dvec3 edge = corners.edge(i);
    if (detail::separates_box(dvec3(0, -edge.z, edge.y), corners, half, largest) ||
        detail::separates_box(dvec3(edge.z, 0, -edge.x), corners, half, largest) ||
        detail::separates_box(dvec3(-edge.y, edge.x, 0), corners, half, largest)) {
      return false;
    }
  }
  return true;
}

}  // namespace copse
