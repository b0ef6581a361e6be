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

struct PlacedMeshes;  // viewer/model/scene/placed_meshes.h

/// The triangles of all meshes in one list, at rest. Never changes once made, so threads can share it.
struct SceneGeometry {
  Mesh mesh;
  std::vector<ScenePart> parts;
  Aabb bounds = Aabb::empty();
  std::filesystem::path structure_file;  // the file that holds a structure over this scene; empty: there is none
  std::shared_ptr<const PlacedMeshes> placed;  // the instances that the parts are; null: of other scenes

  /// True if the scene has a structure of its own: that of its file, or one of two levels over its instances.
  bool has_structure() const { return !structure_file.empty() || placed != nullptr; }

  /// Returns the part that a triangle belongs to. There must be one.
  const ScenePart& part_of(u32 triangle) const;
};

using Geometry = std::shared_ptr<const SceneGeometry>;

struct NamedMesh {
  std::string name;
  Mesh mesh;
};

/// What a file holds: see load_scene_file.
struct SceneFile {
  NamedMesh mesh = {};
  std::filesystem::path structure = {};  // the file itself, if it holds a structure that can be shown; else empty
  Aabb bounds = Aabb::empty();           // of voxels
  std::shared_ptr<const PlacedMeshes> placed = {};  // of a scene file that is alone; then there is no mesh
  std::vector<std::string> instance_names = {};     // of them
  std::string left_out = {};  // of a mesh: what its file has and load_mesh left out; empty: nothing
};

/// Returns a scene of one file, with its structure.
/// Throws: as join_meshes.
Geometry scene_of(SceneFile file);

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

/// Returns true if a file's name has the ending of a mesh, as has_mesh_ending says.
bool is_mesh_name(const std::filesystem::path& path);

/// Returns the ending of a file's name in lower case, such as ".ply".
std::string lower_case_ending(const std::filesystem::path& path);

}  // namespace copse::viewer
