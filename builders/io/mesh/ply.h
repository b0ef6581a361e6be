#pragma once

#include <filesystem>

#include "builders/geometry/mesh.h"

namespace copse::detail {

/// The faces of a PLY file, ASCII or binary of either byte order, triangulated. Elements other than vertex
/// and face, and properties other than x, y, z and vertex_indices (or vertex_index), are skipped.
/// Throws: as load_mesh.
Mesh load_ply(const std::filesystem::path& path);

}  // namespace copse::detail
