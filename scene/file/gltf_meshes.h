#pragma once

#include <filesystem>

#include "scene/file/gltf_model.h"
#include "scene/scene_file.h"

namespace copse::detail {

/// Returns the triangles of a mesh, a part per primitive. Primitives that share an accessor of positions share its
/// vertices. Primitives of points and lines are counted in `report`.
///   number: of the mesh; there must be one
/// Throws: Error bad_file, Error capacity.
SceneMesh mesh_of(const std::filesystem::path& path, const GltfModel& model, u32 number, SceneReport& report);

}  // namespace copse::detail
