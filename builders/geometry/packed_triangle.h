#pragma once

#include "builders/geometry/triangle.h"

namespace copse {

/// A triangle as a ray needs it, in three 16-byte loads: no index, no id is looked up elsewhere.
struct alignas(16) PackedTriangle {
  vec3 a;
  u32 primitive;  // id through all views
  vec3 b;
  u32 geometry;  // its view's
  vec3 c;
  u32 local_id;  // number in its view

  COPSE_HD Triangle triangle() const { return {a, b, c}; }
};

static_assert(sizeof(PackedTriangle) == 48);

}  // namespace copse
