#pragma once

#include "builders/grid/frustum_grid.h"
#include "builders/grid/grid_stats.h"
#include "builders/grid/grid_validate.h"

namespace copse {

/// Measures of a frustum grid.
struct FrustumGridStats {
  GridCounts counts{};
  uvec3 resolution{0};  // tiles across, tiles down, slabs
  u64 cell_count = 0;
  u64 occupied_count = 0;            // cells with a triangle
  u64 largest_cell = 0;              // references in the fullest cell
  double occupancy = 0;              // references per occupied cell
  double duplication = 0;            // references per triangle that the build was given
  double nearest = 0, farthest = 0;  // depths between which the slabs lie
  i32 padding = 0;                   // how far cells reach past their faces, in 1/256 of their size
  u64 size_bytes = 0;
};

/// Returns the measures of a frustum grid.
/// Throws: Error invalid_argument for a grid that was never built, Error out_of_memory.
/// Waits: for the measures.
COPSE_API FrustumGridStats stats(Context& context, const FrustumGrid& grid);

/// Proves that every cell lists every triangle that touches it once and no other triangle, by the rule of
/// build_frustum_grid. Safe on a grid of any content. A grid that is not complete misses references. The faults of
/// the report: see grid_validate.h.
/// Throws: Error invalid_argument for a grid that was never built, for a frustum or resolution for which no grid
/// can be built, or for another number of triangles than the grid was built over; Error out_of_memory.
/// Waits: for the report.
COPSE_API ValidationReport validate(Context& context, const FrustumGrid& grid, const TriangleViews& triangles);

}  // namespace copse
