#include "builders/grid/grid_stats.h"

#include "builders/grid/uniform/grid_stats_body.h"
#include "primitives/core/dispatch.h"

namespace copse {

GridStats stats(Context& context, const Grid& grid) {
  if (!grid.is_built()) throw Error(ErrorCode::invalid_argument, "stats of a grid that was never built");
  const GridShape shape = grid.shape.download().at(0);
  GridStats result;
  result.counts = grid.counts.download().at(0);
  result.resolution = shape.resolution;
  result.cell_count = shape.cell_count();
  result.lo = shape.lo;
  result.cell_size = 1.0 / shape.cells_per_unit;
  result.size_bytes = grid.size_bytes();

  Buffer<detail::CellSums> buffer(context, 1);
  dispatch(context,
           [&](const auto& ex) { detail::measure_cells(ex, grid.view(), result.cell_count, buffer.data()); });
  const detail::CellSums sums = buffer.download()[0];
  result.occupied_count = sums.occupied_count;
  result.largest_cell = sums.largest_cell;
  const double references = double(result.counts.stored_count);
  if (result.occupied_count > 0) result.occupancy = references / double(result.occupied_count);
  if (grid.source_count > 0) result.duplication = references / double(grid.source_count);
  return result;
}

}  // namespace copse
