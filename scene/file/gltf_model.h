#pragma once

#include <filesystem>

#include "primitives/core/cancel_token.h"
#include "primitives/core/types.h"
#include "scene/file/gltf_library.h"

namespace copse::detail {

using GltfModel = tinygltf::Model;

/// Returns the content of a .glb or .gltf file with its buffers, as tinygltf reads it after the checks of
/// scene/file/gltf_outline.h. The numbers in it may still point anywhere.
///   max_bytes: of all buffers
/// Throws: Error bad_file, Error cancelled.
GltfModel read_gltf(const std::filesystem::path& path, const CancelToken& cancel, u64 max_bytes);

}  // namespace copse::detail
