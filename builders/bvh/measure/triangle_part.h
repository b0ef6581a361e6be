#pragma once

// The area of a triangle's part in a box, and the share of an edge in it, in double precision.

#include <cmath>

#include "builders/geometry/glm.h"
#include "builders/geometry/triangle.h"

namespace copse::detail {

/// A convex polygon in a plane: a triangle after at most six cuts.
struct TrianglePart {
  static constexpr u32 max_corners = 9;

  glm::dvec3 corners[max_corners];
  u32 count;
};

/// Keeps the part with sign * coordinate <= sign * bound along an axis, the plane included.
///
/// Source: Sutherland, Hodgman, "Reentrant Polygon Clipping", CACM 1974.
COPSE_HD inline void cut(TrianglePart& part, int axis, double sign, double bound) {
  TrianglePart kept;
  kept.count = 0;
  for (u32 i = 0; i < part.count; ++i) {
    const glm::dvec3 from = part.corners[i], to = part.corners[i + 1 < part.count ? i + 1 : 0];
    const double before = sign * (bound - from[axis]), after = sign * (bound - to[axis]);
    // Rounding may bend a polygon so that a plane cuts it more than twice; the extra part has no area.
    if (before >= 0 && kept.count < TrianglePart::max_corners) kept.corners[kept.count++] = from;
    if ((before < 0) != (after < 0) && kept.count < TrianglePart::max_corners) {
      glm::dvec3 crossing = from + (to - from) * (before / (before - after));
      crossing[axis] = bound;
      kept.corners[kept.count++] = crossing;
    }
  }
  part = kept;
}

/// Returns the area of a polygon in a plane.
COPSE_HD inline double area(const TrianglePart& part) {
  glm::dvec3 sum(0);
  for (u32 i = 2; i < part.count; ++i) {
    const glm::dvec3 p = part.corners[i - 1] - part.corners[0], q = part.corners[i] - part.corners[0];
    sum += glm::dvec3(p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x);
  }
  return 0.5 * sqrt(sum.x * sum.x + sum.y * sum.y + sum.z * sum.z);
}

COPSE_HD inline TrianglePart whole(const Triangle& t) {
  TrianglePart part;
  part.corners[0] = glm::dvec3(t.a.x, t.a.y, t.a.z);
  part.corners[1] = glm::dvec3(t.b.x, t.b.y, t.b.z);
  part.corners[2] = glm::dvec3(t.c.x, t.c.y, t.c.z);
  part.count = 3;
  return part;
}

/// Returns the area of a triangle's part in a box, faces included.
COPSE_HD inline double area_in_box(const Triangle& triangle, const Aabb& box) {
  TrianglePart part = whole(triangle);
  for (int axis = 0; axis < 3 && part.count > 0; ++axis) {
    cut(part, axis, 1, box.hi[axis]);
    cut(part, axis, -1, box.lo[axis]);
  }
  return area(part);
}

/// Returns the largest error of area() and of area_in_box(), for any box.
///
/// With u = 2^-53 and R the largest coordinate, a cut places a corner within 12 u R of its plane and of its edge, along
/// each axis. So six cuts move the outline by at most 126 u R, and change the area by at most so much times the length
/// of the outline. The sum of the cross products errs by about as much again. 512 u is 2^-44.
COPSE_HD inline double area_error(const Triangle& triangle) {
  const TrianglePart corners = whole(triangle);
  double reach = 0, outline = 0;
  for (u32 i = 0; i < 3; ++i) {
    const glm::dvec3 from = corners.corners[i], to = corners.corners[i < 2 ? i + 1 : 0];
    for (int axis = 0; axis < 3; ++axis) {
      reach = larger(reach, fabs(from[axis]));
      outline += fabs(to[axis] - from[axis]);
    }
  }
  constexpr double units = 1.0 / double(u64{1} << 44);
  return units * reach * outline;
}

/// Returns the share of an edge that is in a box, faces included: 0 to 1. It errs by less than 2^-50: it divides
/// differences of floats, and each has one rounding.
COPSE_HD inline double share_in_box(const vec3& from, const vec3& to, const Aabb& box) {
  double first = 0, last = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double start = from[axis], along = double(to[axis]) - start;
    const double below = double(box.lo[axis]) - start, above = double(box.hi[axis]) - start;
    if (along == 0) {
      if (below > 0 || above < 0) return 0;
      continue;
    }
    first = larger(first, (along > 0 ? below : above) / along);
    last = smaller(last, (along > 0 ? above : below) / along);
  }
  return last > first ? last - first : 0;
}

}  // namespace copse::detail
