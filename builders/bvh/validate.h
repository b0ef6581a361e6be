#pragma once

#include <string>

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_bvh.h"
#include "builders/geometry/primitive_set.h"

namespace copse {

/// What is wrong with a tree, counted; all 0 for a valid one.
struct ValidationReport {
  u64 bad_counts = 0;          // node, leaf and primitive counts that do not fit together or the capacity
  u64 bad_indices = 0;         // children, leaf ranges, parents and primitive ids out of range
  u64 unreached_nodes = 0;     // nodes that no walk from the leaves to the root passes exactly once
  u64 missing_primitives = 0;  // valid primitives in no leaf
  u64 repeated_primitives = 0;
  u64 invalid_primitives = 0;  // primitives in a leaf that should have been left out
  u64 loose_boxes = 0;         // boxes that are not exactly the union of what they hold

  bool ok() const {
    return bad_counts + bad_indices + unreached_nodes + missing_primitives + repeated_primitives +
               invalid_primitives + loose_boxes ==
           0;
  }
  /// One line: what is wrong and how often; "valid" for a valid tree.
  std::string message() const;
};

/// Proves that every valid primitive is in exactly one leaf, every box is exactly the union of what it
/// holds, and all indices are in range. Safe on a tree of any content, as of a file.
/// After a refit, primitives that became invalid may stand in leaves: `refitted` allows it.
/// Throws: Error invalid_argument for more primitives than the tree has room for, Error out_of_memory. Waits.
ValidationReport validate(Context& context, const Bvh& bvh, const TriangleViews& triangles, bool refitted = false);
ValidationReport validate(Context& context, const Bvh& bvh, const BoxView& boxes, bool refitted = false);

/// The same for a wide tree, Bvh4, CompressedBvh4 or CompressedBvh8. A child's box in Bvh4 is exactly the union of
/// what it holds; in the compressed layouts it holds that union, and is the one that a conversion would write,
/// which is at most a step of the grid larger on each side.
template <class Node>
ValidationReport validate(Context& context, const WideBvh<Node>& tree, const TriangleViews& triangles,
                          bool refitted = false);
template <class Node>
ValidationReport validate(Context& context, const WideBvh<Node>& tree, const BoxView& boxes,
                          bool refitted = false);

}  // namespace copse
