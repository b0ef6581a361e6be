#include "builders/grid/frustum_check.h"

#include "builders/grid/frustum_grid_body.h"
#include "builders/grid/grid_validate_run.h"

namespace copse {

FrustumGridStats stats(Context& context, const FrustumGrid& grid) {
  if (grid.shape.empty() || !grid.cells.is_built()) {
    throw Error(ErrorCode::invalid_argument, "stats of a frustum grid that was never built");
  }
  const GridStats cells = stats(context, grid.cells);
  const FrustumShape shape = grid.shape.download()[0];
  FrustumGridStats result;
  result.counts = cells.counts;
  result.resolution = grid.resolution;
  result.cell_count = cells.cell_count;
  result.occupied_count = cells.occupied_count;
  result.largest_cell = cells.largest_cell;
  result.occupancy = cells.occupancy;
  result.duplication = cells.duplication;
  result.nearest = shape.nearest;
  result.farthest = shape.farthest;
  result.padding = shape.padding;
  result.size_bytes = grid.size_bytes();
  return result;
}

GridFaults validate(Context& context, const FrustumGrid& grid, const TriangleViews& triangles) {
  const u64 n = triangles.primitive_count();
  return detail::run_grid_validation(
      context, grid.cells, n, [&](const auto& ex, u64 cell_count, GridFaults* faults) {
        detail::check_frustum_references(ex, triangles.views(), n, grid.shape.data(), grid.cells.view(),
                                         cell_count, faults);
      });
}

}  // namespace copse
