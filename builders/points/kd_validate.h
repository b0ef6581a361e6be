#pragma once

#include "builders/points/kd_tree.h"
#include "builders/validation_report.h"

namespace copse {

/// Proves that every valid point is one node of the tree, and lies on the right side of every node above it. Safe
/// on a tree of any content.
///   points: the points that the tree was built over
///
/// The faults of the report:
///   bad_counts: counts that do not fit the points
///   bad_points: nodes that are not one of the valid points
///   repeated_points: points that are more than one node
///   wrong_sides: nodes on the wrong side of a node above them
///
/// Throws: Error invalid_argument for a tree that was never built, or for another number of points than it was
/// built over; Error out_of_memory.
/// Waits: for the report.
COPSE_API ValidationReport validate(Context& context, const KdTree& tree, const PositionSpan& points);

}  // namespace copse
