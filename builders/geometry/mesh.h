#pragma once

#include <vector>

#include "builders/geometry/aabb.h"

namespace copse {

/// An indexed triangle mesh on the host.
struct Mesh {
  std::vector<vec3> positions;
  std::vector<uvec3> triangles;  // every index below positions.size()
};

/// Returns the box around all positions that are finite, empty if there are none.
inline Aabb bounds(const Mesh& mesh) {
  Aabb box = Aabb::empty();
  for (const vec3& p : mesh.positions) box = is_finite(p) ? merge(box, {clean_point(p), clean_point(p)}) : box;
  return box;
}

}  // namespace copse
