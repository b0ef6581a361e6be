#pragma once

#include <string>

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_bvh.h"
#include "builders/geometry/mesh.h"
#include "builders/io/file_path.h"

namespace copse {

/// What a .copse file holds: a tree and the mesh that it stands over, and how it was made.
struct StructureFile {
  Mesh mesh;
  Bvh bvh;
  AnyWideBvh wide;      // of that tree, where the file has one
  std::string builder;  // as in "lbvh"
  u32 morton_bits = 0;
  u32 max_leaf_size = 0;
};

/// Writes tree and mesh, to a temporary file that is renamed when complete, so that an old file survives a
/// full disk. The layout is documented in docs/guide/structure-file.md. Waits.
///   mesh: what the tree was built over
///   builder: at most 23 characters
///   wide: a wide tree over the same primitives as `bvh`, or none; makes the file one of version 2
/// Throws: Error bad_file; Error invalid_argument for what could not be loaded again, as the tree of another
/// mesh.
void save_structure(const FilePath& path, Context& context, const Mesh& mesh, const Bvh& bvh,
                    const std::string& builder, u32 morton_bits, u32 max_leaf_size, const AnyWideBvh& wide = {});

/// Reads a structure into the context's memory, the binary tree with room for a rebuild, the wide one as a compact
/// copy. Magic, version, checksum, sizes and
/// every index are checked before anything is used.
/// Throws: Error bad_file with file, value and limit; Error out_of_memory.
StructureFile load_structure(const FilePath& path, Context& context);

}  // namespace copse
