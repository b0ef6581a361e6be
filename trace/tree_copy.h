#pragma once

#include <memory>
#include <vector>

#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/context.h"
#include "trace/ray.h"
#include "trace/tree_view.h"

namespace copse {

/// A node of a tree of any layout. The leaves of wide trees are slots on the device, and nodes here.
struct TreeNode {
  Aabb box;                                      // as stored in the tree
  u32 parent = invalid_id;                       // none for the root
  u32 depth = 0;                                 // edges from the root
  u32 first_child = 0, child_count = 0;          // in TreeNodes::children
  u32 first_primitive = 0, primitive_count = 0;  // places in leaf order; of a leaf
  bool is_leaf() const { return primitive_count > 0; }
};

/// The nodes of a tree on the host. Inner nodes have the same numbers as in the tree, and so do the leaves of binary
/// trees.
struct TreeNodes {
  std::vector<TreeNode> nodes;  // the root first; empty without primitives
  std::vector<u32> children;    // numbers of nodes, those of a parent together
  std::vector<u32>
      primitive_ids;  // by place in leaf order; empty if the tree has none, as once an Accel is compacted
  u32 depth = 0;      // of the deepest leaf
};

/// The path of a ray through a tree to its closest hit.
struct TreeWalk {
  Hit hit;  // as closest_hits() writes it
  std::vector<u32>
      nodes;  // those that the ray visits, in order: inner nodes, and leaves whose primitives it is tested against
  u32 leaf = invalid_id;    // the node that holds the triangle of the hit
  u32 primitive_tests = 0;  // triangles that the ray was tested against
};

namespace detail {

class CopiedTree;

}  // namespace detail

/// A copy of a tree on the host: its nodes, and rays that record where they go. It does not follow the tree when that
/// is refitted or rebuilt.
///
///   const copse::TreeCopy copy(context, accel.view().tree);
///   for (const copse::TreeNode& node : copy.nodes().nodes) ...
///   const copse::TreeWalk walk = copy.walk(triangles, ray);   // triangles: on the host
class COPSE_API TreeCopy {
 public:
  /// Throws: Error invalid_argument if the tree was never built, Error out_of_memory.
  /// Waits: for the tree.
  /// Memory: on the host, twice to four times that of the tree.
  TreeCopy(Context& context, const TreeView& tree);
  TreeCopy(TreeCopy&& other) noexcept;
  TreeCopy& operator=(TreeCopy&& other) noexcept;
  ~TreeCopy();

  const TreeNodes& nodes() const { return nodes_; }

  /// Returns the path of a ray to its closest hit. It traverses the tree exactly as closest_hit() does.
  ///   triangles: on the host, those that the tree was built over, of one view; or those that were packed for it, and
  ///              these must be used if the tree has no primitive ids
  TreeWalk walk(const TriangleView& triangles, const Ray& ray) const;
  TreeWalk walk(BufferSpan<const PackedTriangle> triangles, const Ray& ray) const;

 private:
  TreeNodes nodes_;
  std::vector<u32> leaf_of_place_;
  std::unique_ptr<detail::CopiedTree> tree_;
};

}  // namespace copse
