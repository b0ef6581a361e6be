#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/grid/grid.h"
#include "builders/validation_report.h"

namespace copse {

/// Proves that every cell lists every primitive that touches it once and no other primitive. Safe on a grid of any
/// content. A grid that is not complete misses references.
///
/// The faults of the report:
///   bad_shapes: 1 if the cells have no place or no size, or are not those of the grid's frustum
///   bad_lists: cells whose lists do not follow each other, or counts that do not fit
///   bad_ids: primitive ids that are out of range or do not ascend in their cell
///   wrong_references: primitives in a cell that they do not touch
///   missing_references: primitives that touch a cell and are not in it
///
/// Throws: Error invalid_argument for a grid that was never built, or for another number of primitives than it was
/// built over; Error out_of_memory.
/// Waits: for the report.
COPSE_API ValidationReport validate(Context& context, const Grid& grid, const TriangleViews& triangles);
COPSE_API ValidationReport validate(Context& context, const Grid& grid, const BoxView& boxes);

// Deprecated names, until 0.2.
using GridFaults [[deprecated("use ValidationReport")]] = ValidationReport;

}  // namespace copse
