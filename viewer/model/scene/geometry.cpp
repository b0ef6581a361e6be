#include "viewer/model/scene/geometry.h"

#include <algorithm>
#include <string>

#include "builders/bvh/bvh.h"
#include "builders/io/mesh_file.h"
#include "primitives/core/counted.h"
#include "primitives/core/error.h"
#include "viewer/model/scene/placed_meshes.h"

namespace copse::viewer {

const ScenePart& SceneGeometry::part_of(u32 triangle) const {
  const auto behind =
      std::upper_bound(parts.begin(), parts.end(), triangle,
                       [](u32 number, const ScenePart& part) { return number < part.first_triangle; });
  return *(behind - 1);
}

namespace {

/// Reserves room for more vertices and triangles.
void make_room(SceneGeometry& scene, u64 new_vertex_count, u64 new_triangle_count) {
  const u64 vertex_count = scene.mesh.positions.size() + new_vertex_count;
  const u64 triangle_count = scene.mesh.triangles.size() + new_triangle_count;
  if (triangle_count > max_primitives || vertex_count > 0xffffffffu) {
    throw Error(ErrorCode::capacity,
                "a scene of " + detail::counted(triangle_count, "triangles") + " and " +
                    std::to_string(vertex_count) +
                    " vertices is too large; at most 2^31 triangles and 2^32 - 1 vertices are possible");
  }

  scene.mesh.positions.reserve(vertex_count);
  scene.mesh.triangles.reserve(triangle_count);
}

/// Appends the vertices and triangles of a mesh, but adds no part.
void append(SceneGeometry& scene, const Mesh& mesh) {
  const u32 first_vertex = u32(scene.mesh.positions.size());
  scene.mesh.positions.insert(scene.mesh.positions.end(), mesh.positions.begin(), mesh.positions.end());
  for (const uvec3& corners : mesh.triangles) scene.mesh.triangles.push_back(corners + first_vertex);
}

}  // namespace

namespace {

std::shared_ptr<SceneGeometry> join(std::vector<NamedMesh> meshes) {
  u64 vertex_count = 0, triangle_count = 0;
  for (const NamedMesh& part : meshes) {
    vertex_count += part.mesh.positions.size();
    triangle_count += part.mesh.triangles.size();
  }
  auto scene = std::make_shared<SceneGeometry>();
  make_room(*scene, vertex_count, triangle_count);
  for (NamedMesh& part : meshes) {
    scene->parts.push_back(
        {std::move(part.name), u32(scene->mesh.triangles.size()), u32(part.mesh.triangles.size())});
    append(*scene, part.mesh);
    part.mesh = {};
  }
  scene->bounds = copse::bounds(scene->mesh);
  return scene;
}

}  // namespace

Geometry join_meshes(std::vector<NamedMesh> meshes) {
  return join(std::move(meshes));
}

Geometry scene_of(SceneFile file) {
  if (file.placed) return scene_of(*file.placed, file.instance_names);
  std::vector<NamedMesh> meshes;
  meshes.push_back(std::move(file.mesh));
  const std::shared_ptr<SceneGeometry> scene = join(std::move(meshes));
  scene->structure_file = std::move(file.structure);
  if (is_valid(file.bounds)) scene->bounds = merge(scene->bounds, file.bounds);
  return scene;
}

Geometry join_scenes(const SceneGeometry& first, const SceneGeometry& second) {
  auto scene = std::make_shared<SceneGeometry>(first);
  scene->structure_file.clear();  // it is over the first scene alone
  scene->placed.reset();
  make_room(*scene, second.mesh.positions.size(), second.mesh.triangles.size());
  for (ScenePart part : second.parts) {
    part.first_triangle += u32(first.mesh.triangles.size());
    scene->parts.push_back(std::move(part));
  }
  append(*scene, second.mesh);
  scene->bounds = merge(first.bounds, second.bounds);
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

std::string lower_case_ending(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = char(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

bool is_mesh_name(const std::filesystem::path& path) {
  return has_mesh_ending(path);
}

}  // namespace copse::viewer
