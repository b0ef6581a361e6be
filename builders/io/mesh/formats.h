#pragma once

// Readers of the formats of mesh files, for load_mesh.

#include <filesystem>

#include "builders/io/mesh_file.h"

namespace copse::detail {

/// Returns the faces of a Wavefront OBJ file, of all groups, triangulated, in the order of the file. Normals,
/// texture coordinates, materials, lines and curves are ignored.
/// Throws: as load_mesh.
Mesh load_obj(const std::filesystem::path& path, const LoadMeshOptions& options, MeshReport& report);

/// Returns the faces and triangle strips of a PLY file, ASCII or binary of either byte order, triangulated. Other
/// elements than vertex, face and tristrips, and other properties than x, y, z and vertex_indices (or vertex_index),
/// are skipped.
/// Throws: as load_mesh.
Mesh load_ply(const std::filesystem::path& path, const LoadMeshOptions& options, MeshReport& report);

/// Throws Error bad_file: no triangle is left of the file.
[[noreturn]] void throw_no_faces(const std::filesystem::path& path, const MeshReport& report);

}  // namespace copse::detail
