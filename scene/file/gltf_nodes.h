#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "scene/file/gltf_model.h"
#include "scene/instance.h"

namespace copse::detail {

/// A mesh at a node.
struct GltfPlacement {
  u32 node = 0, mesh = 0;  // their numbers in the file
  float rows[3][4] = {};   // as Instance::rows
};

/// Returns the meshes of a scene at their nodes, parents before children, and those of a node with
/// EXT_mesh_gpu_instancing in their order. The transforms of a node and its parents are multiplied in double precision.
///   scene:     its number; default: the one that the file names, or else the first. A file without scenes has one, of all
///              nodes that have no parent
///   max_bytes: of all placements
/// Throws: Error bad_file for a number that names nothing, a node that is reached twice, a node with a skin, a
/// transform that is no affine one or exceeds the largest float, and past max_bytes.
std::vector<GltfPlacement> placements_of(const std::filesystem::path& path, const GltfModel& model,
                                         std::optional<u32> scene, u64 max_bytes);

}  // namespace copse::detail
