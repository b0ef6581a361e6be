#pragma once

// Results that bodies write on the device and the host reads.

#include "primitives/core/types.h"

namespace copse::detail {

/// Sums over the nodes of a binary tree, or over the slots of a wide tree. There an inner child counts as its
/// node, so all nodes but the root are included. Areas are half areas.
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

/// Faults of a tree, counted on the device.
struct Faults {
  u64 bad_indices;
  u64 wrong_references;  // sibling pairs, or nodes of a wide tree, that are not the children of exactly one node
  u64 visited_nodes;     // by walks from the leaves
  u64 missing_primitives;
  u64 repeated_primitives;
  u64 invalid_primitives;
  u64 loose_boxes;
  u64 uncovered_primitives;
};

}  // namespace copse::detail
