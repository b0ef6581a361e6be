#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "builders/geometry/mesh.h"

namespace copse::viewer {

/// One mesh of a scene: a range of its triangles.
struct ScenePart {
  std::string name;
  u32 first_triangle = 0;
  u32 triangle_count = 0;
};

/// The triangles of all meshes in one list, at rest. Never changes once made, so threads can share it.
struct SceneGeometry {
  Mesh mesh;
  std::vector<ScenePart> parts;
  Aabb bounds = Aabb::empty();

  /// Returns the part that a triangle belongs to. There must be one.
  const ScenePart& part_of(u32 triangle) const;
};

using Geometry = std::shared_ptr<const SceneGeometry>;

struct NamedMesh {
  std::string name;
  Mesh mesh;
};

/// Joins meshes, in their order. Meshes without triangles are legal, and so is no mesh at all.
/// Throws: Error capacity past 2^31 triangles or 2^32 - 1 vertices.
Geometry join_meshes(std::vector<NamedMesh> meshes);

/// Joins two scenes: the parts of the first, then those of the second.
/// Throws: as above.
Geometry join_scenes(const SceneGeometry& first, const SceneGeometry& second);

/// Loads mesh files and joins them.
/// Throws: as load_mesh and join_meshes.
Geometry load_geometry(std::span<const std::filesystem::path> files);

/// Returns true if two scenes differ in positions alone, so that a refit turns one into the other.
bool same_topology(const SceneGeometry& a, const SceneGeometry& b);

/// Returns true if a file's name has the ending of a mesh: .obj or .ply, in upper or lower case.
bool is_mesh_name(const std::filesystem::path& path);

}  // namespace copse::viewer
