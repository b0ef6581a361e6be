#pragma once

#include "builders/grid/frustum_grid.h"
#include "builders/grid/grid_stats.h"
#include "builders/grid/grid_validate.h"

namespace copse {

struct FrustumGridStats {
  GridCounts counts{};
  uvec3 resolution{0};  // tiles across, tiles down, slabs
  u64 cell_count = 0;
  u64 occupied_count = 0;            // cells with a triangle
  u64 largest_cell = 0;              // references of the fullest cell
  double occupancy = 0;              // references an occupied cell
  double duplication = 0;            // references a triangle, of those that the build was given
  double nearest = 0, farthest = 0;  // the depths between which slabs lie
  i32 padding = 0;                   // of cells, in 1/256 of their size
  u64 size_bytes = 0;
};

/// Measures a frustum grid.
/// Throws: Error invalid_argument for a grid that was never built, Error out_of_memory. Waits.
FrustumGridStats stats(Context& context, const FrustumGrid& grid);

/// Proves that every triangle stands once in every cell that it touches, and in no other, by the rule of
/// build_frustum_grid. Safe on a grid of any content. The cells of a grid that is not complete miss references.
/// Throws: Error invalid_argument for a grid that was never built, of a frustum or resolution that none can be
/// built for, or another number of triangles than it was built over; Error out_of_memory. Waits.
ValidationReport validate(Context& context, const FrustumGrid& grid, const TriangleViews& triangles);

}  // namespace copse
