#pragma once

#include "builders/grid/hash_grid.h"
#include "builders/validation_report.h"

namespace copse {

/// Proves that every valid point stands once in the bucket of its cell, and nowhere else. Safe on a grid of any
/// content.
///   points: those that the grid was built over
///
/// The faults of the report:
///   bad_lists: buckets whose lists do not follow each other, a shape or counts that do not fit
///   bad_points: points that are not those that the grid was built over, or not valid
///   wrong_buckets: points in another bucket than that of their cell, or not ascending in it
///   missing_points: valid points that are not in the grid
///
/// Throws: Error invalid_argument for a grid that was never built, or another number of points than it was built
/// over; Error out_of_memory. Waits.
ValidationReport validate(Context& context, const HashGrid& grid, const PositionSpan& points);

// Deprecated names, until 0.2.
using HashGridFaults [[deprecated("use ValidationReport")]] = ValidationReport;

}  // namespace copse
