#pragma once

#include <filesystem>
#include <glm/ext/matrix_double4x4.hpp>
#include <string>
#include <vector>

#include "primitives/core/types.h"
#include "scene/file/gltf_model.h"

namespace copse::detail {

/// Returns the matrix of a rotation of a glTF file. The rotation is normalised first.
///   rotation: a quaternion as x, y, z and w
///   name:     of the rotation, for the message
/// Throws: Error bad_file unless its length is between 1e-6 and 1e6.
glm::dmat4 gltf_rotation(const std::filesystem::path& path, const std::string& name, const glm::dvec4& rotation);

/// Returns the transforms from the mesh of a node to the node: those of EXT_mesh_gpu_instancing, in their order, or the
/// identity for a node without it. A transform is translation * rotation * scale, each from an accessor.
/// Throws: Error bad_file for an accessor of another type, and for accessors of different counts.
std::vector<glm::dmat4> gltf_instances(const std::filesystem::path& path, const GltfModel& model, u32 node);

}  // namespace copse::detail
