#pragma once

#include <span>
#include <vector>

#include "builders/geometry/triangle.h"
#include "primitives/core/context.h"
#include "viewer/model/inspect/cell_corners.h"
#include "viewer/model/inspect/picking.h"

namespace copse::viewer {

/// A node of a tree of any layout. Leaves of wide trees, which are slots there, are nodes here.
struct HostNode {
  Aabb box;  // as it stands in the tree
  u32 parent = invalid_id;
  u32 depth = 0;
  u32 first_child = 0, child_count = 0;          // in HostTree::children
  u32 first_primitive = 0, primitive_count = 0;  // in HostTree::primitive_ids; of a leaf
  bool is_leaf() const { return primitive_count > 0; }
};

/// A tree on the host. Inner nodes have the numbers that they have on the device; so do the leaves of binary
/// trees.
struct HostTree {
  std::vector<HostNode> nodes;  // the root first; none without primitives
  std::vector<u32> children;
  std::vector<u32> primitive_ids;
  u32 depth = 0;  // of the deepest leaf
};

/// The triangles of a scene as they are now, on the host.
struct HostTriangles {
  std::vector<vec3> positions;
  std::vector<uvec3> triangles;  // none where triangle i has vertices 3i, 3i + 1, 3i + 2

  TriangleView view() const;
  u64 count() const { return triangles.empty() ? positions.size() / 3 : triangles.size(); }
};

/// Copies a view's triangles. Waits.
HostTriangles download_triangles(Context& context, const TriangleView& view);

/// A structure on the host, for what is drawn over pictures and for picking. It walks rays exactly as the device
/// does, and notes its steps.
class HostCopy {
 public:
  virtual ~HostCopy() = default;

  virtual Target target() const { return Target::triangle; }

  /// The tree; null for grids.
  virtual const HostTree* tree() const { return nullptr; }

  /// Cells with primitives, voxels that are set: up to `most` of them, and the number of all in `count`.
  virtual std::vector<CellCorners> cells(u64 most, u64& count) const {
    (void)most;
    count = 0;
    return {};
  }

  /// Where a step of a pick stands.
  virtual CellCorners corners_of(const VisitedNode& visited) const { return viewer::corners_of(visited.box); }

  /// The way of a ray to its closest hit; of a Pick all but `part` and `target`.
  virtual Pick walk(const HostTriangles& triangles, const Ray& ray) const = 0;
};

/// t where a ray enters a box; its t_max where it misses it.
float enter_box(const Aabb& box, const Ray& ray);

}  // namespace copse::viewer
