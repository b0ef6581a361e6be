#include "builders/grid/grid_validate.h"

#include "builders/grid/uniform/grid_validate_run.h"

namespace copse {

namespace {

ValidationReport run(Context& context, const Grid& grid, const detail::GridSource& source) {
  return detail::run_grid_validation(context, grid, source.count,
                                     [&](const auto& ex, u64 cell_count, detail::CellFaults* faults) {
                                       detail::check_references(ex, source, grid.view(), cell_count, faults);
                                     });
}

}  // namespace

ValidationReport validate(Context& context, const Grid& grid, const TriangleViews& triangles) {
  return run(context, grid, {triangles.views(), nullptr, triangles.primitive_count()});
}

ValidationReport validate(Context& context, const Grid& grid, const BoxView& boxes) {
  return run(context, grid, {{}, boxes.boxes.data(), boxes.boxes.size()});
}

}  // namespace copse
