#pragma once

#include <algorithm>

#include "builders/grid/grid.h"
#include "primitives/core/error.h"
#include "viewer/model/structures/statistics.h"

namespace copse::viewer {

/// Reserves 1.5 times the references that are needed, so that moving triangles and cameras find room.
inline u64 roomy_reference_capacity(u64 needed) {
  return std::max(needed, std::min(needed + needed / 2 + 1, max_references));
}

/// Takes the statistics that all grids over triangles have.
///   Measured: GridStats or FrustumGridStats
template <class Measured>
void take_cells(Statistics& statistics, const Measured& measured) {
  statistics.size_bytes = measured.size_bytes;
  statistics.resolution = measured.resolution;
  statistics.cell_count = measured.cell_count;
  statistics.occupied_count = measured.occupied_count;
  statistics.reference_count = measured.counts.stored_count;
  statistics.largest_cell = measured.largest_cell;
}

/// Returns false if the last build did not have enough room. Waits.
inline bool is_complete(const Grid& grid) {
  try {
    check_complete(grid);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::capacity) throw;
    return false;
  }
}

}  // namespace copse::viewer
