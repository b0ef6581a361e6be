#pragma once

#include <filesystem>

#include "builders/geometry/mesh.h"

namespace copse::detail {

/// The faces of a Wavefront OBJ file, of all groups, triangulated, in the order of the file. Normals, texture
/// coordinates, materials, lines and curves are ignored.
/// Throws: as load_mesh.
Mesh load_obj(const std::filesystem::path& path);

}  // namespace copse::detail
