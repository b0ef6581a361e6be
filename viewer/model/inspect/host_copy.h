#pragma once

#include <span>
#include <vector>

#include "builders/geometry/triangle.h"
#include "primitives/core/context.h"
#include "trace/tree_copy.h"
#include "viewer/model/inspect/cell_corners.h"
#include "viewer/model/inspect/picking.h"

namespace copse::viewer {

/// The current triangles of a scene, on the host.
struct HostTriangles {
  std::vector<vec3> positions;
  std::vector<uvec3> triangles;  // empty if triangle i has vertices 3i, 3i + 1, 3i + 2

  TriangleView view() const;
  u64 count() const { return triangles.empty() ? positions.size() / 3 : triangles.size(); }
};

/// Returns a copy of a view's triangles. Waits.
HostTriangles download_triangles(Context& context, const TriangleView& view);

/// A structure on the host, for lines over pictures and for picking. It traverses rays exactly as the device does,
/// and records each step.
class HostCopy {
 public:
  virtual ~HostCopy() = default;

  virtual Target target() const { return Target::triangle; }

  /// Returns the tree; null for grids.
  virtual const TreeNodes* tree() const { return nullptr; }

  /// Returns the node from which on all nodes are of meshes, of the lower level of a scene of instances.
  virtual u32 first_of_meshes() const { return invalid_id; }

  /// Returns up to `most` cells with primitives, or voxels that are set. `count` becomes the number of all.
  virtual std::vector<CellCorners> cells(u64 most, u64& count) const {
    (void)most;
    count = 0;
    return {};
  }

  /// Returns the corners of a step of a pick.
  virtual CellCorners corners_of(const VisitedNode& visited) const { return viewer::corners_of(visited.box); }

  /// Returns the path of a ray to its closest hit: all of a Pick but `part` and `target`.
  virtual Pick walk(const HostTriangles& triangles, const Ray& ray) const = 0;
};

/// Returns t at which a ray enters a box, or t_max if it misses.
float enter_box(const Aabb& box, const Ray& ray);

}  // namespace copse::viewer
