#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "builders/geometry/mesh.h"

namespace copse::viewer {

/// One mesh among those of a scene: a range of its triangles.
struct ScenePart {
  std::string name;
  u32 first_triangle = 0;
  u32 triangle_count = 0;
};

/// The triangles of all meshes in one list, as they are at rest. Never changed once made, so that threads share
/// it.
struct SceneGeometry {
  Mesh mesh;
  std::vector<ScenePart> parts;
  Aabb bounds = Aabb::empty();

  /// The part of a triangle; there must be one.
  const ScenePart& part_of(u32 triangle) const;
};

using Geometry = std::shared_ptr<const SceneGeometry>;

struct NamedMesh {
  std::string name;
  Mesh mesh;
};

/// The meshes joined, in their order. Meshes without triangles, and none at all, are legal.
/// Throws: Error capacity past 2^31 triangles or 2^32 - 1 vertices.
Geometry join_meshes(std::vector<NamedMesh> meshes);

/// The parts of both scenes, the second's behind the first's.
/// Throws: as above.
Geometry join_scenes(const SceneGeometry& first, const SceneGeometry& second);

/// The meshes of files joined.
/// Throws: as load_mesh and join_meshes.
Geometry load_geometry(std::span<const std::filesystem::path> files);

/// True where two scenes differ in positions alone, so that one moves to the other by a refit.
bool same_topology(const SceneGeometry& a, const SceneGeometry& b);

/// True where a file's name ends as that of a mesh, .obj or .ply in letters of any size.
bool is_mesh_name(const std::filesystem::path& path);

}  // namespace copse::viewer
