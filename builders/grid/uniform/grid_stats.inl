// Measures of a grid, each cell once.

#include "builders/grid/uniform/grid_stats_body.h"
#include "primitives/core/bits.h"
#include "primitives/reduce.h"

namespace copse::detail {

struct MeasureCell {
  GridView grid;
  COPSE_HD CellSums operator()(u64 cell) const {
    const u32 count = grid.cell_begins.data()[cell + 1] - grid.cell_begins.data()[cell];
    return {count > 0 ? u64{1} : u64{0}, count};
  }
};

struct MergeCellSums {
  COPSE_HD CellSums operator()(const CellSums& a, const CellSums& b) const {
    return {a.occupied_count + b.occupied_count, larger(a.largest_cell, b.largest_cell)};
  }
};

template <class Executor>
void measure_cells(const Executor& ex, const GridView& grid, u64 cell_count, CellSums* sums) {
  reduce(ex, "grid stats", cell_count, MeasureCell{grid}, CellSums{0, 0}, MergeCellSums{}, sums);
}

template void measure_cells(const BodyExecutor&, const GridView&, u64, CellSums*);

}  // namespace copse::detail
