#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/grid/grid.h"
#include "builders/validation_report.h"

namespace copse {

/// Proves that every primitive stands once in every cell that it touches, and in no other. Safe on a grid of any
/// content. The cells of a grid that is not complete miss references.
///
/// The faults of the report:
///   bad_shapes: 1 for cells of no place or size, or not those of the grid's frustum
///   bad_lists: cells whose lists do not follow each other, or counts that do not fit
///   bad_ids: primitives out of range, or not ascending in their cell
///   wrong_references: primitives in a cell that they do not touch
///   missing_references: cells that a primitive touches, without it
///
/// Throws: Error invalid_argument for a grid that was never built, or another number of primitives than it was
/// built over; Error out_of_memory. Waits.
ValidationReport validate(Context& context, const Grid& grid, const TriangleViews& triangles);
ValidationReport validate(Context& context, const Grid& grid, const BoxView& boxes);

// Deprecated names, until 0.2.
using GridFaults [[deprecated("use ValidationReport")]] = ValidationReport;

}  // namespace copse
