#pragma once

// Readers of the formats of mesh files, for load_mesh.

#include <filesystem>

#include "builders/geometry/mesh.h"
#include "builders/io/whole_file.h"
#include "primitives/core/cancel_token.h"

namespace copse::detail {

/// Returns the faces of a Wavefront OBJ file, of all groups, triangulated, in the order of the file. Normals,
/// texture coordinates, materials, lines and curves are ignored.
/// Throws: as load_mesh.
Mesh load_obj(const std::filesystem::path& path, const CancelToken& cancel);

/// Proves that tinyobjloader reads every vertex and face line of an OBJ text right, since it turns malformed
/// numbers into 0 and accepts indices past the end. Makes the text plain on the way: joins lines that end in a
/// backslash, and blanks out the byte order mark and the comments behind values.
/// Throws: Error bad_file with file, line, value and limit; Error cancelled.
void check_obj(const std::filesystem::path& path, FileBytes& bytes, const CancelToken& cancel);

/// Returns the faces of a PLY file, ASCII or binary of either byte order, triangulated. Elements other than vertex
/// and face, and properties other than x, y, z and vertex_indices (or vertex_index), are skipped.
/// Throws: as load_mesh.
Mesh load_ply(const std::filesystem::path& path, const CancelToken& cancel);

}  // namespace copse::detail
