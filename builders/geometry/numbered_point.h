#pragma once

#include "builders/geometry/aabb.h"

namespace copse {

/// A copy of a point in the memory of a structure, with its number.
struct alignas(16) NumberedPoint {
  vec3 position;
  u32 id;  // index of the point among those that the structure was built over
};

static_assert(sizeof(NumberedPoint) == 16);

}  // namespace copse
