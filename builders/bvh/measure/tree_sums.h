#pragma once

// What the measures of a tree add up. For a .cpp file and its body.

#include "primitives/core/types.h"

namespace copse::detail {

/// Sums over the nodes of a binary tree, or over the slots of a wide one, where an inner child counts for its node,
/// so that every node but the root is there. Areas are half areas.
struct TreeSums {
  double inner_area;
  double leaf_area;  // of each leaf, times its primitives
  double overlap;    // the area that siblings share; binary trees only
  u32 leaf_count;
  u32 largest_leaf;
};

/// Sums over the triangles of a tree.
struct OverlapSums {
  double overlap;  // areas in boxes of foreign nodes, each times the node's cost
  double area;
};

}  // namespace copse::detail
