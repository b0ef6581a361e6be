#pragma once

#include <optional>
#include <span>
#include <vector>

#include "builders/geometry/mesh.h"
#include "builders/io/file_path.h"
#include "builders/kd/sah_kd_tree.h"
#include "builders/points/kd_tree.h"
#include "builders/points/point_bvh.h"
#include "primitives/core/cancel_token.h"

// Files of kd-trees and of trees of points, with the points or the mesh that they were built over.
// docs/guide/tree-file.md describes the layout.

namespace copse {

/// What a tree file holds.
enum class TreeKind : u32 { kd_tree = 1, point_bvh = 2, sah_kd_tree = 3 };

struct KdTreeFile {
  std::vector<vec3> points;
  KdTree tree;
};

struct PointBvhFile {
  std::vector<vec3> points;
  PointBvh bvh;
};

struct SahKdTreeFile {
  Mesh mesh;
  SahKdTree tree;
};

/// Writes a tree and what it was built over. The file appears under its name when it is complete, so that an old file
/// survives a full disk.
///   points, mesh: those that the tree was built over
///   cancel:       as of save_ply
/// Throws: Error bad_file, Error cancelled; Error invalid_argument for content that could not be loaded again, such as
/// a tree that was never built or the tree of other points.
/// Waits: for the tree.
COPSE_API void save_tree(const FilePath& path, Context& context, std::span<const vec3> points, const KdTree& tree,
                         const CancelToken& cancel = {});
COPSE_API void save_tree(const FilePath& path, Context& context, std::span<const vec3> points, const PointBvh& bvh,
                         const CancelToken& cancel = {});
COPSE_API void save_tree(const FilePath& path, Context& context, const Mesh& mesh, const SahKdTree& tree,
                         const CancelToken& cancel = {});

/// Returns what a file holds; nothing for a file that is no tree file. It reads the first bytes alone.
/// Throws: Error bad_file if it cannot be read, or holds a kind that this Copse does not know.
COPSE_API std::optional<TreeKind> tree_kind(const FilePath& path);

/// Reads a tree into the context's memory. The file is not trusted: magic, version, checksum, sizes and every index are
/// checked before anything is used. Whether each point is on the right side and each box is right, only validate()
/// checks.
/// Throws: Error bad_file with file, value and limit, also for a tree of another kind; Error out_of_memory, Error
/// cancelled.
COPSE_API KdTreeFile load_kd_tree(const FilePath& path, Context& context, const CancelToken& cancel = {});
COPSE_API PointBvhFile load_point_bvh(const FilePath& path, Context& context, const CancelToken& cancel = {});
COPSE_API SahKdTreeFile load_sah_kd_tree(const FilePath& path, Context& context, const CancelToken& cancel = {});

}  // namespace copse
