#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/grid/grid.h"

namespace copse {

/// Measures of a uniform grid.
struct GridStats {
  GridCounts counts{};
  uvec3 resolution{0};
  u64 cell_count = 0;
  u64 occupied_count = 0;     // cells with a primitive
  u64 largest_cell = 0;       // references in the fullest cell
  double occupancy = 0;       // references per occupied cell
  double duplication = 0;     // references per primitive that the build was given
  dvec3 lo{0}, cell_size{0};  // the corner of the grid and the edges of its cells, in units of space
  u64 size_bytes = 0;
};

/// Returns the measures of a grid.
/// Throws: Error invalid_argument for a grid that was never built, Error out_of_memory.
/// Waits: for the measures.
COPSE_API GridStats stats(Context& context, const Grid& grid);

}  // namespace copse
