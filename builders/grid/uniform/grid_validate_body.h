#pragma once

#include "builders/grid/measure/faults.h"
#include "builders/grid/uniform/uniform_grid_body.h"

namespace copse::detail {

/// Looks at the cells' lists alone.
template <class Executor>
void check_lists(const Executor& ex, const GridView& grid, u64 cell_count, u64 reference_count,
                 CellFaults* faults);

/// Looks at the lists of a grid whose lists follow each other.
template <class Executor>
void check_references(const Executor& ex, const GridSource& source, const GridView& grid, u64 cell_count,
                      CellFaults* faults);

}  // namespace copse::detail
