#pragma once

// Points on triangles that rays have hit, for pictures.

#include "builders/geometry/triangle.h"
#include "builders/geometry/vector_rn.h"

namespace copse::detail {

/// Returns the triangle's normal, of length 1 and towards the viewer. For a triangle without area it is -direction.
COPSE_HD inline vec3 facing_normal(const Triangle& triangle, const vec3& direction) {
  const vec3 ab = sub_rn(triangle.b, triangle.a), ac = sub_rn(triangle.c, triangle.a);
  // Edges of the order of 1, so that no product leaves the range of float.
  const float scale = larger(largest_component(ab), largest_component(ac));
  const vec3 normal = cross_rn(div_rn(ab, scale), div_rn(ac, scale));
  const float length = length_rn(normal);
  if (!(length > 0)) return mul_rn(direction, -1.0f);
  return div_rn(normal, dot_rn(normal, direction) > 0 ? -length : length);
}

/// A point on a surface from which rays start.
struct SurfacePoint {
  vec3 position, normal;
};

/// Returns the point of a hit, lifted off the surface by more than the rounding of its coordinates.
COPSE_HD inline SurfacePoint surface_point(const Triangle& triangle, float u, float v, const vec3& direction) {
  const vec3 normal = facing_normal(triangle, direction);
  const vec3 position = add_rn(
      triangle.a, add_rn(mul_rn(sub_rn(triangle.b, triangle.a), u), mul_rn(sub_rn(triangle.c, triangle.a), v)));
  const float scale =
      larger(largest_component(triangle.a), larger(largest_component(triangle.b), largest_component(triangle.c)));
  return {add_rn(position, mul_rn(normal, mul_rn(scale, 1.0f / 65536.0f))), normal};
}

/// Returns the direction of an ambient ray: the normal plus a point on the unit sphere, which is cosine-distributed.
COPSE_HD inline vec3 ambient_direction(const vec3& normal, const vec3& on_sphere) {
  const vec3 direction = add_rn(normal, on_sphere);
  const float length = length_rn(direction);
  return length > 1e-3f ? div_rn(direction, length) : normal;
}

}  // namespace copse::detail
