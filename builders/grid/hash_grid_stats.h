#pragma once

#include "builders/grid/hash_grid.h"

namespace copse {

/// Measures of a hash grid.
struct HashGridStats {
  HashGridCounts counts{};
  uvec3 resolution{0};   // cells that the box of the points reaches into
  dvec3 lo{0};           // the corner of the grid
  double cell_size = 0;  // the edge of a cell, in units of space
  u64 bucket_count = 0;
  u64 occupied_count = 0;  // buckets with a point
  u64 shared_count = 0;    // buckets with points of several cells
  u64 largest_bucket = 0;  // points in the fullest bucket
  double occupancy = 0;    // points per occupied bucket
  u64 size_bytes = 0;
};

/// Returns the measures of a hash grid.
/// Throws: Error invalid_argument for a grid that was never built, Error out_of_memory.
/// Waits: for the measures.
COPSE_API HashGridStats stats(Context& context, const HashGrid& grid);

}  // namespace copse
