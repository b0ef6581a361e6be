#pragma once

#include "builders/grid/hash_grid.h"
#include "builders/validation_report.h"

namespace copse {

/// Proves that every valid point is once in the bucket of its cell, and nowhere else. Safe on a grid of any
/// content.
///   points: the points that the grid was built over
///
/// The faults of the report:
///   bad_lists: buckets whose lists do not follow each other, and a shape or counts that do not fit
///   bad_points: points that are not valid, or not those that the grid was built over
///   wrong_buckets: points that are in the bucket of another cell, or whose ids do not ascend in their bucket
///   missing_points: valid points that are not in the grid
///
/// Throws: Error invalid_argument for a grid that was never built, or for another number of points than it was
/// built over; Error out_of_memory.
/// Waits: for the report.
COPSE_API ValidationReport validate(Context& context, const HashGrid& grid, const PositionSpan& points);

// Deprecated names, until 0.2.
using HashGridFaults [[deprecated("use ValidationReport")]] = ValidationReport;

}  // namespace copse
