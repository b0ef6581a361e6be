#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_bvh.h"
#include "builders/geometry/primitive_set.h"
#include "builders/validation_report.h"

namespace copse {

/// Checks that every valid primitive is in exactly one leaf, every box is exactly the union of what it holds, and
/// all indices are in range. Safe on a tree of any content, as from a file. With splits, a primitive may be in several
/// leaves, whose boxes hold parts of it: no box may be larger than the union, and together they must cover the
/// primitive.
///   refitted: allows leaves to hold primitives that became invalid after the build, as a refit leaves them
///
/// The faults of the report:
///   bad_counts: node, leaf and primitive counts that do not fit together or the capacity
///   bad_indices: children, leaf ranges, parents and primitive ids out of range
///   unreached_nodes: nodes that no walk from the leaves to the root passes exactly once
///   missing_primitives: valid primitives in no leaf
///   repeated_primitives: primitives in several leaves
///   invalid_primitives: primitives in a leaf that should have been left out
///   loose_boxes: boxes that are not exactly the union of what they hold, or larger where it is split
///   uncovered_primitives: split triangles with area outside of the boxes of their leaves, and links between the places
///     of a primitive that leave one out
/// Throws: Error invalid_argument for more primitives than the tree has room for, Error out_of_memory.
/// Waits: for the result.
COPSE_API ValidationReport validate(Context& context, const Bvh& bvh, const TriangleViews& triangles,
                                    bool refitted = false);
COPSE_API ValidationReport validate(Context& context, const Bvh& bvh, const BoxView& boxes, bool refitted = false);

/// Checks the same for a wide tree, Bvh4, CompressedBvh4 or CompressedBvh8. In Bvh4 the box of a child is exactly
/// the union of what it holds. In the compressed layouts it holds that union and is the box that collapse() would
/// write, which is at most a step of the grid larger on each side. With splits, boxes of wide trees may be loose.
template <class Node>
ValidationReport validate(Context& context, const WideBvh<Node>& tree, const TriangleViews& triangles,
                          bool refitted = false);
template <class Node>
ValidationReport validate(Context& context, const WideBvh<Node>& tree, const BoxView& boxes,
                          bool refitted = false);

}  // namespace copse
