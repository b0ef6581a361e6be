#pragma once

#include "builders/grid/grid_validate.h"
#include "builders/grid/uniform/uniform_grid_body.h"

namespace copse::detail {

/// Looks at the cells' lists alone.
template <class Executor>
void check_lists(const Executor& ex, const GridView& grid, u64 cell_count, u64 reference_count,
                 GridFaults* faults);

/// Looks at the lists of a grid whose lists follow each other.
template <class Executor>
void check_references(const Executor& ex, const GridSource& source, const GridView& grid, u64 cell_count,
                      GridFaults* faults);

}  // namespace copse::detail
