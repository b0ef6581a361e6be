#pragma once

// Argument checks that the builders of kd-trees and of hierarchies over points share.

#include <string>

#include "builders/geometry/triangle.h"
#include "primitives/core/check.h"
#include "primitives/core/error.h"

namespace copse::detail {

/// Checks the arguments of a builder over points.
struct PointChecks {
  const char* structure;  // in words, as "kd-tree"
  u64 limit;              // the largest number of points

  /// Throws: Error capacity past the limit.
  void check_count(u64 count) const {
    if (count <= limit) return;
    throw Error(ErrorCode::capacity, std::string(structure) + ": " + std::to_string(count) + " points; at most " +
                                         std::to_string(limit) + " fit in one");
  }

  /// Throws: also Error invalid_argument for a stride that does not fit.
  void check_points(const PositionSpan& points) const {
    check_count(points.size);
    const u64 stride = points.stride_bytes;
    if (stride >= sizeof(vec3) && stride % 4 == 0) return;
    refuse(structure, "points are " + counted(stride, "bytes") +
                          " apart; the distance must be at least 12 and a multiple of 4");
  }

  /// Throws: also Error invalid_argument for more points than the tree has room for.
  template <class Tree>
  void check_rebuild(const Tree& tree, const PositionSpan& points) const {
    check_points(points);
    if (!tree.counts.empty() && points.size <= tree.point_capacity()) return;
    refuse(structure,
           counted(points.size, "points") + "; the tree has room for " + std::to_string(tree.point_capacity()));
  }
};

}  // namespace copse::detail
