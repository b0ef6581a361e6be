#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/grid/grid.h"

namespace copse {

struct GridStats {
  GridCounts counts{};
  uvec3 resolution{0};
  u64 cell_count = 0;
  u64 occupied_count = 0;     // cells with a primitive
  u64 largest_cell = 0;       // references of the fullest cell
  double occupancy = 0;       // references an occupied cell
  double duplication = 0;     // references a primitive, of those that the build was given
  dvec3 lo{0}, cell_size{0};  // the grid's corner, and its cells in units of space
  u64 size_bytes = 0;
};

/// Measures a grid.
/// Throws: Error invalid_argument for a grid that was never built, Error out_of_memory. Waits.
GridStats stats(Context& context, const Grid& grid);

}  // namespace copse
