#pragma once

#include "builders/geometry/mesh.h"
#include "builders/io/file_path.h"
#include "primitives/core/cancel_token.h"

namespace copse {

struct LoadMeshOptions {
  /// A token such as std::stop_token. Once a stop is requested, load_mesh throws Error cancelled soon, also in the
  /// middle of a large file.
  CancelToken cancel = {};
};

/// Returns the triangles of an OBJ or PLY file, in the order of the file. The ending of the name tells the format.
/// Convex polygons become fans around their first corner. Concave polygons of up to 1024 corners are cut by their
/// ears.
/// Throws: Error bad_file, with file, line or element, value and limit, for a file that cannot be read or is cut
/// short, an index past the end, a face of fewer than 3 corners, a coordinate that is infinite or NaN, and a mesh
/// without triangles; Error cancelled; Error out_of_memory.
Mesh load_mesh(const FilePath& path, const LoadMeshOptions& options = {});

/// Writes a mesh as binary little-endian PLY. A temporary file is written first and renamed when it is complete.
/// Throws: Error bad_file.
void save_ply(const FilePath& path, const Mesh& mesh);

}  // namespace copse
