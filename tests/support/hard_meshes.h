#pragma once

#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <utility>

#include "builders/geometry/generate.h"
#include "builders/geometry/mesh.h"

namespace copse::test {

struct NamedMesh {
  std::string name;
  Mesh mesh;
  u32 invalid_count = 0;
};
inline void PrintTo(const NamedMesh& mesh, std::ostream* out) {
  *out << mesh.name;
}

/// Returns `count` copies of one triangle.
inline Mesh coincident_triangles(u32 count, const vec3& a, const vec3& b, const vec3& c) {
  Mesh mesh{{a, b, c}, {}};
  mesh.triangles.assign(count, uvec3(0, 1, 2));
  return mesh;
}

/// Returns meshes at which builders break. They have few triangles, or are flat, coincident or without area. They
/// have far outliers, extreme scales, negative zeros, and coordinates that are not numbers.
inline std::vector<NamedMesh> hard_meshes() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const float most = std::numeric_limits<float>::max();
  std::vector<NamedMesh> meshes;
  meshes.push_back({"nothing", {}});
  for (u32 n : {1, 2, 3, 4, 5, 31, 32, 33, 255, 257}) {
    meshes.push_back({"random " + std::to_string(n), generate_random(n, 0.1f)});
  }
  meshes.push_back({"cube", generate_cube()});
  meshes.push_back({"flat grid", generate_grid(23)});
  meshes.push_back({"sphere", generate_sphere(3)});
  meshes.push_back({"hairball", generate_hairball(20, 30)});
  meshes.push_back({"coincident", coincident_triangles(1000, {0, 0, 0}, {1, 0, 0}, {0, 1, 0})});
  meshes.push_back({"points", coincident_triangles(777, {1, 2, 3}, {1, 2, 3}, {1, 2, 3})});

  Mesh outlier = generate_sphere(2);
  outlier.positions.insert(outlier.positions.end(),
                           {{1e9f, 1e9f, -1e9f}, {1e9f, 1e9f, -1.001e9f}, {1e9f, 1.001e9f, -1e9f}});
  const u32 last = u32(outlier.positions.size());
  outlier.triangles.push_back({last - 3, last - 2, last - 1});
  meshes.push_back({"far outlier", outlier});

  for (const auto& [scale, name] : {std::pair{1e-38f, "scaled by 1e-38"},
                                    {1e-20f, "scaled by 1e-20"},
                                    {1e20f, "scaled by 1e20"},
                                    {1e37f, "scaled by 1e37"}}) {
    Mesh scaled = generate_random(300, 0.2f);
    for (vec3& p : scaled.positions) p = vec3(p.x * scale, p.y * scale, p.z * scale);
    meshes.push_back({name, scaled});
  }
  Mesh whole_range = generate_random(200, 0.2f);
  for (vec3& p : whole_range.positions) {
    p = vec3((p.x - 0.5f) * most, (p.y - 0.5f) * most, (p.z - 0.5f) * most);
  }
  meshes.push_back({"whole range", whole_range});

  Mesh zeros = generate_grid(5);
  for (vec3& p : zeros.positions) p.z = -0.0f;
  meshes.push_back({"negative zeros", zeros});

  NamedMesh sick{"not numbers", generate_random(500, 0.1f)};
  for (u32 i = 0; i < 500; i += 7) {
    sick.mesh.positions[3 * i + i % 3][i % 2 == 0 ? 0 : 2] = i % 3 == 0 ? nan : (i % 3 == 1 ? inf : -inf);
    ++sick.invalid_count;
  }
  meshes.push_back(sick);
  NamedMesh hopeless{"only not numbers", generate_random(10, 0.1f), 10};
  for (vec3& p : hopeless.mesh.positions) p.x = nan;
  meshes.push_back(hopeless);
  return meshes;
}

/// Returns the mesh with its vertices in other places, so that no neighbours stay together.
inline Mesh torn(Mesh mesh) {
  const std::vector<vec3> from = mesh.positions;
  for (u64 i = 0; i < from.size(); ++i) mesh.positions[i] = from[i * 7919 % from.size()];
  return mesh;
}

}  // namespace copse::test
