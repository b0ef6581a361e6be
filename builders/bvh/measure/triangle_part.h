#pragma once

// The area of a triangle's part in a box, in double precision.

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

}  // namespace copse::detail
