#pragma once

// What the proofs of uniform grids and of frustum grids share: first the shape and the lists, then what stands in
// them.

#include <cmath>
#include <string>

#include "builders/grid/grid_validate.h"
#include "builders/grid/uniform/grid_validate_body.h"
#include "primitives/core/dispatch.h"

namespace copse::detail {

/// Faults of the shape and the counts themselves; nothing else may be read before they are good.
inline u64 count_faults(const Grid& grid, const GridShape& shape, const GridCounts& counts) {
  const uvec3& r = shape.resolution;
  u64 faults = 0;
  for (const u32 cells : {r.x, r.y, r.z}) faults += cells == 0 || cells > max_grid_resolution;
  faults += u64{r.x} * r.y * r.z > grid.cell_capacity();
  faults += counts.stored_count > grid.reference_capacity() || counts.stored_count > counts.reference_count;
  return faults;
}

/// Whether cells stand somewhere and have a size.
inline bool has_place(const GridShape& shape) {
  for (u32 axis = 0; axis < 3; ++axis) {
    const double lo = component(shape.lo, axis), cells_per_unit = component(shape.cells_per_unit, axis);
    if (!std::isfinite(lo) || !std::isfinite(cells_per_unit) || !(cells_per_unit > 0)) return false;
  }
  return true;
}

/// Throws: Error invalid_argument where the grid was not built over so many primitives.
inline void check_built_over(const Grid& grid, u64 source_count) {
  if (!grid.is_built()) throw Error(ErrorCode::invalid_argument, "validation of a grid that was never built");
  if (source_count != grid.source_count) {
    throw Error(ErrorCode::invalid_argument, "validation against " + std::to_string(source_count) +
                                                 " primitives of a grid that was built over " +
                                                 std::to_string(grid.source_count));
  }
}

/// Calls check_references(ex, cell_count, faults) where the lists follow each other.
/// Throws: as check_built_over.
template <class CheckReferences>
ValidationReport run_grid_validation(Context& context, const Grid& grid, u64 source_count,
                                     const CheckReferences& check_references) {
  check_built_over(grid, source_count);
  const GridShape shape = grid.shape.download()[0];
  const GridCounts counts = grid.counts.download()[0];
  CellFaults faults;
  faults.bad_shapes = has_place(shape) ? 0 : 1;
  faults.bad_lists = count_faults(grid, shape, counts);
  if (const ValidationReport report = report_of(faults); !report.is_valid()) return report;

  const u64 cell_count = shape.cell_count();
  Buffer<CellFaults> buffer(context, std::vector<CellFaults>(1));
  dispatch(context,
           [&](const auto& ex) { check_lists(ex, grid.view(), cell_count, counts.stored_count, buffer.data()); });
  if (const ValidationReport report = report_of(buffer.download()[0]); !report.is_valid()) return report;
  dispatch(context, [&](const auto& ex) { check_references(ex, cell_count, buffer.data()); });
  return report_of(buffer.download()[0]);
}

}  // namespace copse::detail
