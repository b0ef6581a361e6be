#pragma once

// Rays that are hard for structures of cells, each set with the mesh that it is traced through.

#include <string>
#include <vector>

#include "builders/geometry/generate.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/trace/batches.h"
#include "tests/trace/uneven_rays.h"

namespace copse::test {

struct RayCase {
  std::string name;
  Mesh mesh;
  std::vector<Ray> rays;
};

/// Rays from so far away that the triangle test errs by more than a cell, up to where it finds nothing more.
inline std::vector<RayCase> rays_from_far_away() {
  const Mesh mesh = generate_sphere(3);
  RayMaker make(3);
  std::vector<RayCase> cases;
  for (const float distance : {10.0f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e12f}) {
    std::vector<Ray> rays;
    for (int i = 0; i < 120; ++i) {
      const vec3 origin = make.point(-distance, distance), at = make.point(-1, 1);
      rays.push_back({origin, 0, at - origin, infinity});
    }
    cases.push_back({"from " + std::to_string(distance), mesh, rays});
  }
  return cases;
}

inline std::vector<RayCase> rays_of_hard_meshes() {
  std::vector<RayCase> cases;
  for (const NamedMesh& hard : hard_meshes()) {
    if (hard.mesh.positions.empty() || hard.invalid_count > 0) continue;
    cases.push_back({hard.name, hard.mesh, difficult_rays(hard.mesh, 240, 4)});
  }
  return cases;
}

/// Coordinates that differ by far in size along the axes, so that products in the triangle test underflow.
inline std::vector<RayCase> rays_of_uneven_scenes() {
  std::vector<RayCase> cases;
  for (u32 seed = 0; seed < 96; ++seed) {
    UnevenScene scene(seed);
    cases.push_back({"uneven scene " + std::to_string(seed), std::move(scene.mesh), std::move(scene.rays)});
  }
  return cases;
}

/// Triangles whose vertices are on a lattice lie in faces of cells. Rays along these faces must miss neither side.
inline RayCase rays_along_a_lattice() {
  RayCase lattice{"lattice", {}, {}};
  RayMaker make(5);
  for (u32 i = 0; i < 300; ++i) {
    for (int corner = 0; corner < 3; ++corner) {
      vec3 p(float(make.below(9)), float(make.below(9)), float(make.below(9)));
      if (i % 3 == 0) p.z = float(i % 9);
      lattice.mesh.positions.push_back(p / 8.0f);
    }
    lattice.mesh.triangles.push_back(uvec3(3 * i, 3 * i + 1, 3 * i + 2));
  }
  for (u32 i = 0; i < 6000; ++i) {
    const vec3 from(float(make.below(17)) - 4, float(make.below(17)) - 4, float(make.below(17)) - 4);
    const vec3 to(float(make.below(9)), float(make.below(9)), float(make.below(9)));
    if (from != to) lattice.rays.push_back({from / 8.0f, 0, (to - from) / 8.0f, infinity});
  }
  return lattice;
}

/// Two meshes as three views, of which two have the same triangles.
class ThreeViews {
 public:
  explicit ThreeViews(Context& context)
      : small_(generate_sphere(1)), large_(doubled(small_)), a_(context, small_), b_(context, large_) {}

  std::vector<TriangleView> device() const { return {a_.view(7), b_.view(3), a_.view(9)}; }
  std::vector<TriangleView> host() const {
    std::vector<TriangleView> views = {host_view(small_), host_view(large_), host_view(small_)};
    for (size_t i = 0; i < 3; ++i) views[i].geometry = device()[i].geometry;
    return views;
  }
  std::vector<Ray> rays() const { return difficult_rays(large_, 2000, 6); }

 private:
  static Mesh doubled(Mesh mesh) {
    for (vec3& p : mesh.positions) p = p * 2.0f;
    return mesh;
  }
  Mesh small_, large_;
  DeviceMesh a_, b_;
};

}  // namespace copse::test
