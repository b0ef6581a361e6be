#pragma once

#include <string>

#include "builders/geometry/mesh.h"
#include "builders/io/file_path.h"
#include "primitives/core/cancel_token.h"
#include "primitives/core/types.h"

namespace copse {

struct LoadMeshOptions {
  /// A token such as std::stop_token. Once a stop is requested, load_mesh throws Error cancelled soon, also in the
  /// middle of a large file.
  CancelToken cancel = {};

  /// The number of threads that read an OBJ file, at most 4096; 0 for one per core. If the system starts fewer, those
  /// read it. The mesh is the same with any number.
  u32 workers = 0;
};

/// The parts of a mesh file that load_mesh left out.
struct MeshReport {
  struct LeftOut {
    u64 count = 0;
    std::string first;  // where the first one is: "line 7" of an OBJ file, "face 3", counted from 0, of a PLY file
  };

  /// Vertices with a coordinate that is infinite or NaN, or too large for a float.
  LeftOut vertices;
  /// Faces, or triangles of a strip, with such a vertex.
  LeftOut faces;
  /// Faces and strips of fewer than 3 corners.
  LeftOut short_faces;

  /// True if nothing was left out.
  bool is_complete() const { return vertices.count + faces.count + short_faces.count == 0; }

  /// Returns what was left out, in words: "1 vertex that is not finite (line 7) was left out". Empty if nothing was.
  std::string message() const;
};

/// Returns the triangles of an OBJ or PLY file, in the order of the file. The ending of the name tells the format.
/// Convex polygons become fans around their first corner. Concave polygons of up to 1024 corners are cut by their
/// ears. Triangle strips of PLY files (an element `tristrips`, where -1 begins a new strip) become triangles that
/// all turn the same way.
///
/// Vertices that are not finite, their faces, and faces of fewer than 3 corners are left out. The vertices that
/// remain are numbered anew, without gaps.
///   report: if not null, is set to what was left out
/// Throws: Error bad_file, with file, line or element, value and limit, for a file that cannot be read or is cut
/// short, a number that is none, an index past the end, and a mesh without triangles; Error invalid_argument for more
/// than 4096 workers; Error cancelled; Error out_of_memory.
/// Memory: the file and the mesh, and up to 4 bytes per corner and per face of an OBJ file, until it returns. The
/// arrays of the mesh may take twice their size while they grow.
Mesh load_mesh(const FilePath& path, const LoadMeshOptions& options = {}, MeshReport* report = nullptr);

/// Writes a mesh as binary little-endian PLY. The file appears under its name when it is complete.
///   cancel: a token such as std::stop_token. Once a stop is requested, the call throws Error cancelled soon, and an old
///           file stays
/// Throws: Error bad_file, Error cancelled.
void save_ply(const FilePath& path, const Mesh& mesh, const CancelToken& cancel = {});

}  // namespace copse
