#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/grid/layout.h"
#include "builders/kd/sah_kd_layout.h"
#include "primitives/core/buffer.h"
#include "primitives/core/context.h"

namespace copse {

struct SahKdOptions {
  /// The cost of a step from a node to its child, in tests of triangles: above 0, up to 2^20, default 1.5. More gives
  /// fewer nodes and longer lists.
  float traversal_cost = 1.5f;

  /// The deepest level of a leaf, 1 to 60, or 0 for 8 + 1.3 times the binary logarithm of the number of triangles.
  u32 max_depth = 0;

  /// Entries in the lists of all leaves per triangle, above which the tree is not divided further: 1 to 64, default
  /// 8. It bounds memory; a level may pass it by a factor of two.
  float max_references = 8;
};

/// A kd-tree of triangles, by the surface area heuristic. It is there for study and comparison: trees of boxes build
/// faster, take less memory, can be refitted, and are no slower to trace. Owns its memory.
struct SahKdTree {
  Buffer<SahKdNode> nodes;
  Buffer<u32> primitive_ids;
  Buffer<Aabb> bounds;
  u64 source_count = never_built;  // triangles given to the build, in the tree or left out
  u64 invalid_count = 0;           // triangles left out, since a coordinate is NaN or infinite
  u32 depth = 0;                   // the deepest level; the root is level 0

  SahKdView view() const { return {nodes.span(), primitive_ids.span(), bounds.span()}; }

  bool is_built() const { return !bounds.empty() && source_count != never_built; }
  u64 size_bytes() const { return nodes.size_bytes() + primitive_ids.size_bytes() + bounds.size_bytes(); }
};

/// Returns a kd-tree of triangles. Nodes with more than 64 triangles cut off empty space, if it is a fourth of their
/// cell, or halve the box of their triangles; smaller ones take the best plane of all faces of the boxes of their
/// triangles. The tree is equal on all backends and in all runs, bit for bit.
///   triangles: up to 2^30, may be empty
/// Source: Zhou, Hou, Wang, Guo, 2008. Where we differ: small nodes count triangles afresh at each level, where the
/// paper keeps bit masks, and boxes are cut by cells, triangles are not.
/// Throws: Error invalid_argument for options out of range, Error capacity past 2^30 triangles, Error out_of_memory,
/// Error cancelled.
/// Waits: once per level, for the size of the next one. No Graph can capture it.
/// Memory: of the result, 8 bytes per node and 4 per entry of a list; while it is built, about 100 bytes per entry.
COPSE_API SahKdTree build_sah_kd_tree(Context& context, const TriangleViews& triangles,
                                      const SahKdOptions& options = {});

}  // namespace copse
