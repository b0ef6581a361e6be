#pragma once

#include <memory>

#include "builders/geometry/triangle_records.h"
#include "builders/io/file_path.h"
#include "builders/io/mesh_file.h"

// Meshes that stay in their file. Its pages are memory, so that a mesh may be larger than the memory of the machine.

namespace copse {

namespace detail {
class FileMapping;
}

/// The mesh of a binary PLY file, in the pages of the file. The vertices and the triangles are those of load_mesh.
///
/// It takes little-endian files with x, y and z as float, one behind the other, and with faces of three corners whose
/// indices are int or uint, as most programs write them. Other properties and elements may be there, unless a list makes
/// their length unknown. The file may have no vertex that is not finite, which load_mesh would leave out.
///
/// While the object is there, the file must not change. If another program cuts it short, reading it ends this program
/// with SIGBUS.
class COPSE_API MappedMesh {
 public:
  /// Maps a file, and reads it once from front to back to check each index and each vertex.
  ///   options: cancel, and the workers that check. The others do not count
  /// Throws: Error bad_file with file, element, value and limit, for a file that cannot be mapped or that
  /// load_mesh refuses too; Error invalid_argument for more than 4096 workers; Error cancelled; Error out_of_memory if
  /// there is no room for the file among the addresses.
  explicit MappedMesh(const FilePath& path, const LoadMeshOptions& options = {});
  ~MappedMesh();
  MappedMesh(MappedMesh&&) noexcept;
  MappedMesh& operator=(MappedMesh&&) noexcept;

  /// Returns the vertices and the triangles. They are good as long as the object is there.
  const TriangleRecords& records() const { return records_; }

 private:
  std::unique_ptr<detail::FileMapping> mapping_;
  TriangleRecords records_;
};

}  // namespace copse
