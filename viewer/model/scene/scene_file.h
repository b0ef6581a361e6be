#pragma once

#include "viewer/model/scene/geometry.h"

namespace copse::viewer {

/// Loads a file with a scene: a mesh (.obj, .ply), a mesh with a tree over it (.copse), or voxels (.voxels), which
/// have no mesh.
///   alone: false if other files belong to the same scene; then a structure cannot be shown
/// Throws: as load_mesh, load_structure and load_voxels; Error bad_file for voxels that are not alone.
SceneFile load_scene_file(const std::filesystem::path& file, bool alone);

/// Returns true if a file's name has one of these endings, in upper or lower case.
bool is_scene_name(const std::filesystem::path& path);

}  // namespace copse::viewer
