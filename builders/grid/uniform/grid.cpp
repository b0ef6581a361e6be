#include "builders/grid/grid.h"

#include <string>

namespace copse {

Grid make_grid(Context& context, u64 cell_capacity, u64 reference_capacity) {
  if (cell_capacity > max_grid_cells) {
    throw Error(ErrorCode::capacity, std::to_string(cell_capacity) + " cells, at most " +
                                         std::to_string(max_grid_cells) + " fit in one grid");
  }
  if (reference_capacity > max_references) {
    throw Error(ErrorCode::capacity, std::to_string(reference_capacity) + " references, at most " +
                                         std::to_string(max_references) + " fit in one grid");
  }
  Grid grid;
  grid.shape = Buffer<GridShape>(context, 1);
  grid.cell_begins = Buffer<u32>(context, cell_capacity + 1);
  grid.primitive_ids = Buffer<u32>(context, reference_capacity);
  grid.counts = Buffer<GridCounts>(context, 1);
  return grid;
}

void check_complete(const Grid& grid) {
  const GridCounts counts = grid.counts.download().at(0);
  if (counts.stored_count >= counts.reference_count) return;
  throw Error(ErrorCode::capacity, "the cells need " + std::to_string(counts.reference_count) +
                                       " references or more, the grid has room for " +
                                       std::to_string(grid.reference_capacity()));
}

}  // namespace copse
