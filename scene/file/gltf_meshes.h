#pragma once

#include <filesystem>

#include "scene/file/gltf_model.h"
#include "scene/scene_file.h"

namespace copse::detail {

/// The bytes that the meshes of a file have in memory, and their limit.
class MeshBytes {
 public:
  MeshBytes(const std::filesystem::path& path, u64 limit) : path_(path), limit_(limit) {}

  /// Adds the bytes that a mesh is about to take.
  /// Throws: Error bad_file past the limit.
  void take(u64 bytes);

 private:
  const std::filesystem::path& path_;
  u64 limit_, taken_ = 0;
};

/// Returns the triangles of a mesh, a part per primitive. Primitives that share an accessor of positions share its
/// vertices. Primitives of points and lines are counted in `report`.
///   number: of the mesh; there must be one
/// Throws: Error bad_file, Error capacity.
SceneMesh mesh_of(const std::filesystem::path& path, const GltfModel& model, u32 number, MeshBytes& bytes,
                  SceneReport& report);

}  // namespace copse::detail
