#pragma once

// Files of a wide tree with packed triangles, as an Accel holds them. accel/accel_file.h has the public calls.

#include <span>
#include <vector>

#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/wide_bvh.h"
#include "builders/geometry/mesh.h"
#include "builders/geometry/triangle_records.h"
#include "builders/io/file_check.h"
#include "builders/io/file_path.h"
#include "primitives/core/cancel_token.h"

namespace copse {

/// Triangles of a mesh that follow each other and make one view: they have a geometry id and a mask of their own.
struct MeshPart {
  u64 triangle_count = 0;
  u32 geometry = 0;    // TriangleView::geometry
  u32 mask = ~u32{0};  // TriangleView::mask

  bool operator==(const MeshPart&) const = default;
};

namespace detail {

/// The content of such a file. The buffers of the tree are as large as needed.
struct PackedTreeFile {
  Mesh mesh;
  std::vector<MeshPart> parts;
  CompressedBvh4 tree;
  PackedTriangles packed;
  bool has_packed = false;  // false for a file of an older version, which has none
  u32 quality = 0;
};

/// The same, all but the counts of the tree in the pages of the file.
struct MappedTreeFile {
  std::span<const vec3> positions;  // good as long as a buffer of `tree` or `packed` is
  std::span<const uvec3> triangles;
  std::vector<MeshPart> parts;
  CompressedBvh4 tree;
  PackedTriangles packed;
  u32 quality = 0;
};

/// Writes a tree and the mesh that it was built over.
///   parts:  of the mesh, in order; their sum is the number of triangles
///   packed: those of the tree, which has ids of its own or not
/// Throws: Error bad_file; Error invalid_argument, from save_accel, for content that could not be loaded again, and
/// unless mesh and parts have the triangles that are packed.
/// Waits: for the tree.
COPSE_API void save_packed_tree(const FilePath& path, Context& context, const TriangleRecords& mesh,
                                std::span<const MeshPart> parts, const CompressedBvh4& tree,
                                const PackedTriangles& packed, u32 quality, const CancelToken& cancel);

/// Reads such a file.
/// Throws: Error bad_file with file, value and limit; Error out_of_memory.
COPSE_API PackedTreeFile load_packed_tree(const FilePath& path, Context& context, const CancelToken& cancel);

/// Maps such a file into memory, for the CPU.
/// Throws: as load_packed_tree; Error bad_file also for a file of an older version.
COPSE_API MappedTreeFile map_packed_tree(const FilePath& path, FileCheck check, const CancelToken& cancel);

/// Returns true for a structure file that holds such a tree, and false for one that holds a binary tree. It reads the
/// first bytes alone.
/// Throws: Error bad_file if it cannot be read or is no structure file.
COPSE_API bool holds_packed_tree(const FilePath& path);

/// Returns the views that the parts of a mesh make. The positions are those of the whole mesh.
COPSE_API std::vector<TriangleView> views_of(BufferSpan<const vec3> positions, BufferSpan<const uvec3> triangles,
                                             std::span<const MeshPart> parts);

}  // namespace detail

}  // namespace copse
