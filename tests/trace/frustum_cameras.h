#pragma once

// Cameras at which frustum grids break: far from a mesh, next to it, inside it, on it, narrow, wide, turned.

#include <string>
#include <vector>

#include "builders/geometry/mesh.h"
#include "tests/trace/oracle.h"
#include "trace/camera.h"

namespace copse::test {

struct NamedCamera {
  std::string name;
  Camera camera;
};

inline Aabb finite_bounds(const Mesh& mesh) {
  Aabb box = Aabb::empty();
  for (const vec3& p : mesh.positions) {
    if (is_finite(p)) box = merge(box, {p, p});
  }
  return is_empty(box) ? Aabb{vec3(0), vec3(1)} : box;
}

/// Cameras around and inside the mesh's box.
inline std::vector<NamedCamera> cameras_around(const Mesh& mesh) {
  const Aabb box = finite_bounds(mesh);
  const vec3 middle = centroid(box);
  const vec3 size(box.hi.x / 2 - box.lo.x / 2, box.hi.y / 2 - box.lo.y / 2, box.hi.z / 2 - box.lo.z / 2);
  const float reach = std::max({size.x, size.y, size.z, std::numeric_limits<float>::min()});
  std::vector<NamedCamera> cameras = {{"framing", frame_box(box, 40, 1)}};
  const auto add = [&](const char* name, const vec3& eye, const vec3& target, float angle, float aspect) {
    const vec3 from = middle + eye * reach, to = middle + target * reach;
    // There is no place three sizes away from a mesh as large as floats can be, and none beside a point.
    if (is_finite(from) && from != to) cameras.push_back({name, look_at(from, to, vec3(0, 1, 0), angle, aspect)});
  };
  add("inside", {0.1f, 0.05f, 0.02f}, {-1, 0.3f, 0.4f}, 75, 1.5f);
  add("wide", {0.3f, 0.4f, 0.9f}, {0, 0, 0}, 150, 1);
  add("narrow", {3, 2, 1}, {0.1f, 0, 0}, 2, 0.7f);
  add("skimming", {1.01f, 0.01f, 1.01f}, {0, 0, 0}, 60, 1);
  if (!mesh.positions.empty() && is_finite(mesh.positions[0])) {
    cameras.push_back({"on a vertex", {mesh.positions[0], vec3(0, 0, -1), vec3(1, 0, 0), vec3(0, 1, 0)}});
  }
  // Its axes are neither at right angles nor of length 1.
  const vec3 eye = middle + vec3(2, -1, 2) * reach;
  if (is_finite(eye)) cameras.push_back({"skew", {eye, vec3(-4, 2, -4), vec3(1, 0.5f, -1), vec3(0.3f, 2, 1)}});
  return cameras;
}

}  // namespace copse::test
