#pragma once

#include "builders/geometry/mesh.h"
#include "builders/io/file_path.h"

namespace copse {

/// Returns the triangles of an OBJ or PLY file, in the order of the file. The ending of the name tells the format.
/// Convex polygons become fans around their first corner. Concave polygons of up to 1024 corners are cut by their
/// ears.
/// Throws: Error bad_file, with file, line or element, value and limit, for a file that cannot be read or is cut
/// short, an index past the end, a face of fewer than 3 corners, a coordinate that is infinite or NaN, and a mesh
/// without triangles; Error out_of_memory.
Mesh load_mesh(const FilePath& path);

/// Writes a mesh as binary little-endian PLY. A temporary file is written first and renamed when it is complete.
/// Throws: Error bad_file.
void save_ply(const FilePath& path, const Mesh& mesh);

}  // namespace copse
