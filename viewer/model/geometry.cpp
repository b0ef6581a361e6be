#include "viewer/model/geometry.h"

#include <algorithm>
#include <string>

#include "builders/bvh/bvh.h"
#include "builders/io/mesh_file.h"
#include "primitives/core/error.h"

namespace copse::viewer {

const ScenePart& SceneGeometry::part_of(u32 triangle) const {
  const auto behind =
      std::upper_bound(parts.begin(), parts.end(), triangle,
                       [](u32 number, const ScenePart& part) { return number < part.first_triangle; });
  return *(behind - 1);
}

Geometry join_meshes(std::vector<NamedMesh> meshes, const SceneGeometry* before) {
  u64 vertex_count = before != nullptr ? before->mesh.positions.size() : 0;
  u64 triangle_count = before != nullptr ? before->mesh.triangles.size() : 0;
  for (const NamedMesh& part : meshes) {
    vertex_count += part.mesh.positions.size();
    triangle_count += part.mesh.triangles.size();
  }
  if (triangle_count > most_primitives || vertex_count > 0xffffffffu) {
    throw Error(ErrorCode::capacity, "a scene of " + std::to_string(triangle_count) + " triangles and " +
                                         std::to_string(vertex_count) +
                                         " vertices, at most 2^31 and 2^32 - 1 are possible");
  }

  auto scene = before != nullptr ? std::make_shared<SceneGeometry>(*before) : std::make_shared<SceneGeometry>();
  scene->mesh.positions.reserve(vertex_count);
  scene->mesh.triangles.reserve(triangle_count);
  for (NamedMesh& part : meshes) {
    const u32 first_vertex = u32(scene->mesh.positions.size());
    scene->parts.push_back(
        {std::move(part.name), u32(scene->mesh.triangles.size()), u32(part.mesh.triangles.size())});
    scene->mesh.positions.insert(scene->mesh.positions.end(), part.mesh.positions.begin(),
                                 part.mesh.positions.end());
    for (const uvec3& corners : part.mesh.triangles) scene->mesh.triangles.push_back(corners + first_vertex);
    part.mesh = {};
  }
  scene->bounds = copse::bounds(scene->mesh);
  return scene;
}

Geometry load_geometry(std::span<const std::filesystem::path> files) {
  std::vector<NamedMesh> meshes;
  for (const std::filesystem::path& file : files) {
    meshes.push_back({file.filename().string(), load_mesh(file)});
  }
  return join_meshes(std::move(meshes));
}

bool same_topology(const SceneGeometry& a, const SceneGeometry& b) {
  return a.mesh.positions.size() == b.mesh.positions.size() && a.mesh.triangles == b.mesh.triangles;
}

}  // namespace copse::viewer
