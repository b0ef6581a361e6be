#pragma once

// What batch calls check of grids.

#include "builders/grid/frustum_layout.h"
#include "trace/check.h"

namespace copse::detail {

/// Refuses a view of a grid that was never made.
inline void check_grid(const char* function, const GridView& grid) {
  if (grid.shape.empty() || grid.cell_begins.size() < 2) {
    refuse(function, "the grid has 0 cells, even a grid without primitives has 1");
  }
}

inline void check_grid(const char* function, const FrustumGridView& grid) {
  if (grid.shape.empty() || grid.cells.cell_begins.size() < 2) {
    refuse(function, "the frustum grid has 0 cells, it was never made");
  }
}

}  // namespace copse::detail
