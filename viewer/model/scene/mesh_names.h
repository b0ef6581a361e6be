#pragma once

#include <filesystem>

namespace copse::viewer {

/// True where a file's name ends as that of a mesh, .obj or .ply in letters of any size.
bool is_mesh_name(const std::filesystem::path& path);

}  // namespace copse::viewer
