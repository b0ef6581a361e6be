#pragma once

#include "primitives/core/cancel_token.h"
#include "viewer/model/scene/geometry.h"

namespace copse::viewer {

/// Loads a file with a scene: a mesh (.obj, .ply, .stl, .off), meshes and instances (.glb, .gltf), a mesh with a structure over it
/// (.copse), or voxels (.voxels), which have no mesh. Instances that are not alone become one mesh.
///   alone:  false if other files belong to the same scene; then a structure cannot be shown
///   cancel: once a stop is requested, reading ends soon
/// Throws: as load_mesh, load_scene, load_structure, load_accel and load_voxels; Error bad_file for voxels that are not alone.
SceneFile load_scene_file(const std::filesystem::path& file, bool alone, const CancelToken& cancel = {});

/// Returns true if a file's name has one of these endings, in upper or lower case.
bool is_scene_name(const std::filesystem::path& path);

}  // namespace copse::viewer
