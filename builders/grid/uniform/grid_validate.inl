// Proof that a grid is what it should be: each primitive looks itself up in the lists of the cells that it
// touches, and as many references as are found there are all that there are.

#include "builders/geometry/make_triangle_table.h"
#include "builders/grid/cells/find_in_cells.h"
#include "builders/grid/uniform/grid_validate_body.h"

namespace copse::detail {

struct CheckCellList {
  GridView grid;
  u64 cell_count, reference_count;
  CellFaults* faults;
  COPSE_HD void operator()(u64 cell) const {
    const u32 begin = grid.cell_begins.data()[cell];
    const u32 end = cell < cell_count ? grid.cell_begins.data()[cell + 1] : u32(reference_count);
    const bool starts_at_0 = cell > 0 || begin == 0;
    if (begin > end || end > reference_count || !starts_at_0) fetch_add_relaxed(&faults->bad_lists, u64{1});
  }
};

template <class Executor>
void check_lists(const Executor& ex, const GridView& grid, u64 cell_count, u64 reference_count,
                 CellFaults* faults) {
  for_each(ex, "grid validate: lists", cell_count + 1, CheckCellList{grid, cell_count, reference_count, faults});
}

template <class Executor>
void check_references(const Executor& ex, const GridSource& source, const GridView& grid, u64 cell_count,
                      CellFaults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  if (source.boxes != nullptr) {
    find_primitives(ex, CellsOfBoxes{{source.boxes}, grid.shape.data()}, source.count, grid, cell_count, faults);
  } else {
    const TriangleTable table = make_triangle_table(ex, frame, source.views);
    find_primitives(ex, CellsOfTriangles{table, grid.shape.data(), grid_units()}, source.count, grid, cell_count,
                    faults);
  }
}

template void check_lists(const BodyExecutor&, const GridView&, u64, u64, CellFaults*);
template void check_references(const BodyExecutor&, const GridSource&, const GridView&, u64, CellFaults*);

}  // namespace copse::detail
