#pragma once

#include "builders/grid/hash_grid.h"

namespace copse {

struct HashGridStats {
  HashGridCounts counts{};
  uvec3 resolution{0};   // the cells that the box of the points reaches into
  dvec3 lo{0};           // the grid's corner
  double cell_size = 0;  // in units of space
  u64 bucket_count = 0;
  u64 occupied_count = 0;  // buckets with a point
  u64 shared_count = 0;    // buckets with points of several cells
  u64 largest_bucket = 0;  // points of the fullest bucket
  double occupancy = 0;    // points an occupied bucket
  u64 size_bytes = 0;
};

/// Measures a hash grid.
/// Throws: Error invalid_argument for a grid that was never built, Error out_of_memory. Waits.
HashGridStats stats(Context& context, const HashGrid& grid);

}  // namespace copse
