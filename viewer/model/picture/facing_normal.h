#pragma once

#include "builders/geometry/triangle.h"
#include "builders/geometry/vector_rn.h"

namespace copse::viewer {

/// The triangle's normal of length 1, against `direction`; against it altogether where the triangle has no area.
COPSE_HD inline vec3 facing_normal(const Triangle& triangle, const vec3& direction) {
  const vec3 ab = sub_rn(triangle.b, triangle.a), ac = sub_rn(triangle.c, triangle.a);
  // Edges of the order of 1, so that no product leaves the range of float.
  const float scale = larger(largest_component(ab), largest_component(ac));
  const vec3 normal = cross_rn(div_rn(ab, scale), div_rn(ac, scale));
  const float length = length_rn(normal);
  if (!(length > 0)) return mul_rn(direction, -1.0f);
  return div_rn(normal, dot_rn(normal, direction) > 0 ? -length : length);
}

}  // namespace copse::viewer
