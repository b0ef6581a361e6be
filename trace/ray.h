#pragma once

#include "builders/geometry/aabb.h"
#include "primitives/core/types.h"

namespace copse {

/// The points origin + t * direction for t in [t_min, t_max], both ends included.
///   direction: of any length but zero; t counts in its length
///   t_max:     may be infinity
/// A ray hits nothing if it has a NaN, an infinite origin or direction, or a direction of length zero.
struct Ray {
  vec3 origin;
  float t_min;
  vec3 direction;
  float t_max;
};

/// The closest hit of a ray: the smallest (t, primitive), so that ties are the same on every backend. On a miss
/// primitive and geometry are invalid_id and t is the ray's t_max.
struct Hit {
  float t;
  u32 primitive;  // number of the triangle in its view
  u32 geometry;   // the view's geometry id
  float u, v;     // the point is (1 - u - v) a + u b + v c
};

/// Which side of triangles rays pass over. The front is the side from which the corners a, b, c of a triangle turn
/// counterclockwise. A triangle that a ray sees edge-on has no side and stays.
enum class Cull : u32 { none, back, front };

/// Returns "none", "back" or "front".
inline const char* name_of(Cull cull) {
  switch (cull) {
    case Cull::none: return "none";
    case Cull::back: return "back";
    case Cull::front: return "front";
  }
  return "unknown";
}

static_assert(sizeof(Ray) == 32);
static_assert(sizeof(Hit) == 20);

COPSE_HD inline bool is_hit(const Hit& hit) {
  return hit.primitive != invalid_id;
}

}  // namespace copse
