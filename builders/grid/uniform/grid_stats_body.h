#pragma once

#include "builders/grid/layout.h"
#include "primitives/core/executor.h"

namespace copse::detail {

struct CellSums {
  u64 occupied_count;
  u64 largest_cell;
};

template <class Executor>
void measure_cells(const Executor& ex, const GridView& grid, u64 cell_count, CellSums* sums);

}  // namespace copse::detail
