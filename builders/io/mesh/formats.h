#pragma once

// Readers of the formats of mesh files, for load_mesh and parse_mesh.

#include <filesystem>
#include <optional>
#include <string_view>

#include "builders/io/mesh_file.h"

namespace copse::detail {

/// Throws: Error invalid_argument for too many workers.
void check_mesh_options(const char* function, const LoadMeshOptions& options);

/// Returns true if a name ends in .gz, in capital or small letters.
bool has_gzip_ending(const std::filesystem::path& path);

/// Returns the format of a name's ending, with or without .gz behind it.
std::optional<MeshFormat> mesh_format_of_name(const std::filesystem::path& path);

/// Returns the format that the first bytes of a file show; obj if they show none.
MeshFormat mesh_format_of_bytes(std::string_view bytes);

/// Returns the faces of a Wavefront OBJ file, of all groups, triangulated, in the order of the file. Normals,
/// texture coordinates, materials, lines and curves are ignored.
///   path: for error messages
/// Throws: as load_mesh.
Mesh read_obj(const std::filesystem::path& path, std::string_view bytes, const LoadMeshOptions& options,
              MeshReport& report);

/// Returns the faces and triangle strips of a PLY file, ASCII or binary of either byte order, triangulated. Other
/// elements than vertex, face and tristrips, and other properties than x, y, z and vertex_indices (or vertex_index),
/// are skipped. The other parameters are as above.
Mesh read_ply(const std::filesystem::path& path, std::string_view bytes, const LoadMeshOptions& options,
              MeshReport& report);

/// Returns the triangles of an STL file, text or binary, of all solids. Vertices whose coordinates are equal become
/// one. Normals, names and attributes are ignored. The parameters are as above.
Mesh read_stl(const std::filesystem::path& path, std::string_view bytes, const LoadMeshOptions& options,
              MeshReport& report);

/// Returns the faces of an OFF file, or of one with colours, normals or texture coordinates (COFF, NOFF, STOFF), which
/// are ignored. The parameters are as above.
Mesh read_off(const std::filesystem::path& path, std::string_view bytes, const LoadMeshOptions& options,
              MeshReport& report);

/// Throws Error bad_file: no triangle is left of the file.
[[noreturn]] void throw_no_faces(const std::filesystem::path& path, const MeshReport& report);

}  // namespace copse::detail
