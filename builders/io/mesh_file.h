#pragma once

#include <string>
#include <string_view>

#include "builders/geometry/mesh.h"
#include "builders/io/file_path.h"
#include "primitives/core/cancel_token.h"
#include "primitives/core/types.h"

namespace copse {

/// The formats of mesh files.
enum class MeshFormat : u8 { automatic, obj, ply, stl, off };

/// The endings of names that load_mesh knows, in words. Each may have .gz behind it.
inline constexpr const char* mesh_endings = ".obj, .ply, .stl or .off";

/// Returns true if a name ends in one of mesh_endings, in capital or small letters, with or without .gz behind it.
COPSE_API bool has_mesh_ending(const FilePath& path);

struct LoadMeshOptions {
  /// A token such as std::stop_token. Once a stop is requested, load_mesh throws Error cancelled soon, also in the
  /// middle of a large file.
  CancelToken cancel = {};

  /// The number of threads that read an OBJ file, at most 4096; 0 for one per core. If the system starts fewer, those
  /// read it. The mesh is the same with any number.
  u32 workers = 0;

  /// automatic (default): load_mesh goes by the ending of the name, and parse_mesh by the first bytes.
  MeshFormat format = MeshFormat::automatic;

  /// The number of bytes that a file packed by gzip may have when it is unpacked, which is up to 1032 times its size.
  /// Default: 16 GiB. A file with more is refused with Error bad_file.
  u64 max_unpacked_bytes = u64{1} << 34;
};

/// The parts of a mesh file that load_mesh left out.
struct COPSE_API MeshReport {
  struct LeftOut {
    u64 count = 0;
    std::string
        first;  // where the first one is: "line 7" of a text, "face 3" (from 0) of a PLY or binary STL file
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

/// Returns the triangles of an OBJ, PLY, STL or OFF file, in the order of the file. The ending of the name gives
/// the format. A file that gzip has packed is unpacked first, whether or not its name ends in .gz.
///
/// Convex polygons become fans around their first corner. Concave polygons of up to 1024 corners are cut by their
/// ears. Triangle strips of PLY files (an element `tristrips`, where -1 begins a new strip) become triangles that
/// all turn the same way. The triangles of an STL file share a vertex where their coordinates are equal.
///
/// Vertices that are not finite, their faces, and faces of fewer than 3 corners are left out. The remaining
/// vertices are renumbered without gaps.
///   report: if not null, is set to what was left out
/// Throws: Error bad_file, with file, line or element, value and limit, for a file that cannot be read or is cut
/// short, a number that is none, an index past the end, and a mesh without triangles; Error invalid_argument for more
/// than 4096 workers; Error cancelled; Error out_of_memory.
/// Memory: the file and the mesh, and up to 4 bytes per corner and per face of an OBJ file or 16 per vertex of an STL
/// file, until it returns. The arrays of the mesh may take twice their size while they grow.
COPSE_API Mesh load_mesh(const FilePath& path, const LoadMeshOptions& options = {}, MeshReport* report = nullptr);

/// Returns the triangles of a mesh file that is in memory, as load_mesh does.
///   bytes: of the file, perhaps packed by gzip
///   name: stands in front of the texts of errors
/// Throws: as load_mesh.
COPSE_API Mesh parse_mesh(std::string_view bytes, const LoadMeshOptions& options = {},
                          MeshReport* report = nullptr, const std::string& name = "mesh");

/// Writes a mesh in the format of the name's ending: binary little-endian PLY, binary STL, OBJ or OFF. Text has as
/// many digits as each float needs to be read back. STL has no indices: each triangle has its own corners. With
/// .gz behind the ending, the file is packed as gzip does by default. The file appears under its name when it is
/// complete.
///   cancel: a token such as std::stop_token. Once a stop is requested, the call throws Error cancelled soon, and an old
///           file stays
/// Throws: Error bad_file, also for another ending; Error invalid_argument for an index past the end, and for more
/// than 2^32 - 1 triangles of an STL file; Error cancelled.
COPSE_API void save_mesh(const FilePath& path, const Mesh& mesh, const CancelToken& cancel = {});

/// Writes a mesh as binary little-endian PLY, whatever the ending of the name.
/// Throws: as save_mesh.
COPSE_API void save_ply(const FilePath& path, const Mesh& mesh, const CancelToken& cancel = {});

/// Returns the bytes of the file that save_mesh writes, not packed.
///   format: not automatic
/// Throws: Error invalid_argument, as save_mesh; Error cancelled.
COPSE_API std::string mesh_bytes(const Mesh& mesh, MeshFormat format, const CancelToken& cancel = {});

}  // namespace copse
