#pragma once

#include <string>

#include "builders/geometry/primitive_set.h"
#include "builders/grid/grid.h"

namespace copse {

/// What is wrong with a grid, counted; all 0 for a valid one.
struct GridFaults {
  u64 bad_lists = 0;           // cells whose lists do not follow each other, or counts that do not fit
  u64 bad_ids = 0;             // primitives out of range, or not ascending in their cell
  u64 wrong_references = 0;    // primitives in a cell that they do not touch
  u64 missing_references = 0;  // cells that a primitive touches, without it
  u64 bad_shapes = 0;          // 1 for cells of no place or size, or not those of the grid's frustum

  bool ok() const { return bad_lists + bad_ids + wrong_references + missing_references + bad_shapes == 0; }
  /// One line: what is wrong and how often; "valid" for a valid grid.
  std::string message() const;
};

/// Proves that every primitive stands once in every cell that it touches, and in no other. Safe on a grid of any
/// content. The cells of a grid that is not complete miss references.
/// Throws: Error invalid_argument for a grid that was never built, or another number of primitives than it was
/// built over; Error out_of_memory. Waits.
GridFaults validate(Context& context, const Grid& grid, const TriangleViews& triangles);
GridFaults validate(Context& context, const Grid& grid, const BoxView& boxes);

}  // namespace copse
