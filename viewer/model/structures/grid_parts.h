#pragma once

#include <algorithm>

#include "builders/grid/grid.h"
#include "primitives/core/error.h"
#include "viewer/model/structures/statistics.h"

namespace copse::viewer {

/// Room for half as many references again as are needed, so that triangles and cameras that move find room.
inline u64 roomy_reference_capacity(u64 needed) {
  return std::max(needed, std::min(needed + needed / 2 + 1, max_references));
}

/// What grids over triangles have in common.
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

/// False where the last build found too little room. Waits.
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
