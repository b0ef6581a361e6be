#pragma once

#include "builders/points/point_bvh.h"
#include "builders/validation_report.h"

namespace copse {

/// Proves that every valid point is in the hierarchy once, in the order of the Hilbert curve, and that each node
/// has the box and the key of what is below it. Safe on a hierarchy of any content.
///   points: the points that the hierarchy was built over
///
/// The faults of the report:
///   bad_counts: counts and bounds that do not fit the points
///   bad_points: points of the hierarchy that are not one of the valid points
///   repeated_points: points that are there more than once
///   wrong_order: points that come after one with a larger (key, id)
///   wrong_nodes: nodes with another box or another key than what is below them
///
/// Throws: Error invalid_argument for a hierarchy that was never built, or for another number of points than it
/// was built over; Error out_of_memory.
/// Waits: for the report.
COPSE_API ValidationReport validate(Context& context, const PointBvh& bvh, const PositionSpan& points);

}  // namespace copse
