#pragma once

#include <string>

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_bvh.h"
#include "builders/geometry/mesh.h"
#include "builders/geometry/triangle_records.h"
#include "builders/io/file_path.h"
#include "primitives/core/cancel_token.h"

namespace copse {

/// The content of a .copse file: a tree, the mesh that it was built over, and how it was built.
struct StructureFile {
  Mesh mesh;
  Bvh bvh;
  AnyWideBvh wide;      // made of that tree, if the file has one
  std::string builder;  // as in "lbvh"
  u32 morton_bits = 0;
  u32 max_leaf_size = 0;
};

/// Writes a tree and its mesh. The file appears under its name when it is complete, so that an old file survives a
/// full disk. docs/guide/structure-file.md describes the layout.
///   mesh: a Mesh, or the records of a MappedMesh: the mesh that the tree was built over
///   builder: at most 23 characters
///   wide: a wide tree over the same primitives as `bvh`, or none
///   cancel: as of save_ply
/// Throws: Error bad_file, Error cancelled; Error invalid_argument for content that could not be loaded again, such as the tree of
/// another mesh, or a triangle in the tree with an infinite coordinate.
/// Waits: for the tree.
/// Memory: of a tree on a GPU, a copy on the host.
COPSE_API void save_structure(const FilePath& path, Context& context, const TriangleRecords& mesh, const Bvh& bvh,
                              const std::string& builder, u32 morton_bits, u32 max_leaf_size,
                              const AnyWideBvh& wide = {}, const CancelToken& cancel = {});

/// Reads a structure into the context's memory. The binary tree has room for a rebuild; the wide one is a compact
/// copy. Magic, version, checksum, sizes and every index are checked before anything is used.
///   cancel: once a stop is requested, reading ends soon
/// Throws: Error bad_file with file, value and limit; Error out_of_memory, Error cancelled.
COPSE_API StructureFile load_structure(const FilePath& path, Context& context, const CancelToken& cancel = {});

}  // namespace copse
