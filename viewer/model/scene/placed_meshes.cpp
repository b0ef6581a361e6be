#include "viewer/model/scene/placed_meshes.h"

#include <algorithm>
#include <cstring>

#include "builders/bvh/bvh.h"
#include "builders/geometry/vector_rn.h"
#include "primitives/core/counted.h"
#include "primitives/core/error.h"

namespace copse::viewer {

namespace {

vec3 placed_point(const Instance& instance, const vec3& p) {
  vec3 q;
  for (int row = 0; row < 3; ++row) {
    const float* const m = instance.rows[row];
    q[row] = add_rn(dot_rn(vec3(m[0], m[1], m[2]), p), m[3]);
  }
  return q;
}

/// Stores the vertices of all instances, in order.
///   before: where the instances stand in `scene`, which leaves the vertices of those that stay; null: nowhere
void place(SceneGeometry& scene, const PlacedMeshes& placed, const PlacedMeshes* before) {
  auto at = scene.mesh.positions.begin();
  for (size_t i = 0; i < placed.instances.size(); ++i) {
    const Instance& instance = placed.instances[i];
    const std::vector<vec3>& positions = (*placed.meshes)[instance.accel].mesh.positions;
    const bool stays = before != nullptr && same_transform(before->instances[i], instance);
    if (!stays) {
      std::transform(positions.begin(), positions.end(), at,
                     [&](const vec3& p) { return placed_point(instance, p); });
    }
    at += std::ptrdiff_t(positions.size());
  }
}

}  // namespace

bool same_transform(const Instance& a, const Instance& b) {
  return std::memcmp(a.rows, b.rows, sizeof a.rows) == 0;
}

bool PlacedByHand::operator==(const PlacedByHand& other) const {
  if (scene != other.scene) return true;
  return std::equal(
      instances.begin(), instances.end(), other.instances.begin(), other.instances.end(),
      [](const auto& a, const auto& b) { return a.first == b.first && same_transform(a.second, b.second); });
}

Geometry scene_of(PlacedMeshes placed, const std::vector<std::string>& names) {
  auto scene = std::make_shared<SceneGeometry>();
  u64 vertex_count = 0, triangle_count = 0;
  for (const Instance& instance : placed.instances) {
    const Mesh& mesh = (*placed.meshes)[instance.accel].mesh;
    vertex_count += mesh.positions.size();
    triangle_count += mesh.triangles.size();
  }
  if (triangle_count > max_primitives || vertex_count > 0xffffffffu) {
    throw Error(ErrorCode::capacity, "the instances have " + detail::counted(triangle_count, "triangles") +
                                         " and " + detail::counted(vertex_count, "vertices") +
                                         "; the viewer shows up to 2^31 triangles and 2^32 - 1 vertices");
  }
  scene->mesh.positions.resize(vertex_count);
  scene->mesh.triangles.reserve(triangle_count);
  u32 first_vertex = 0;
  for (size_t i = 0; i < placed.instances.size(); ++i) {
    const NamedMesh& source = (*placed.meshes)[placed.instances[i].accel];
    scene->parts.push_back({names[i].empty() ? source.name : names[i], u32(scene->mesh.triangles.size()),
                            u32(source.mesh.triangles.size())});
    for (const uvec3& corners : source.mesh.triangles) scene->mesh.triangles.push_back(corners + first_vertex);
    first_vertex += u32(source.mesh.positions.size());
  }
  place(*scene, placed, nullptr);
  scene->bounds = copse::bounds(scene->mesh);
  scene->placed = std::make_shared<const PlacedMeshes>(std::move(placed));
  return scene;
}

Geometry moved(const SceneGeometry& scene, std::vector<Instance> instances) {
  auto copy = std::make_shared<SceneGeometry>(scene);
  PlacedMeshes placed{scene.placed->meshes, std::move(instances)};
  place(*copy, placed, scene.placed.get());
  copy->placed = std::make_shared<const PlacedMeshes>(std::move(placed));
  return copy;
}

}  // namespace copse::viewer
