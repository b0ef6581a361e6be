#include "builders/grid/grid_validate.h"

#include "builders/grid/uniform/grid_validate_run.h"

namespace copse {

namespace {

GridFaults run(Context& context, const Grid& grid, const detail::GridSource& source) {
  return detail::run_grid_validation(context, grid, source.count,
                                     [&](const auto& ex, u64 cell_count, GridFaults* faults) {
                                       detail::check_references(ex, source, grid.view(), cell_count, faults);
                                     });
}

}  // namespace

std::string GridFaults::message() const {
  std::string text;
  const auto add = [&](u64 count, const char* what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(bad_shapes, "shapes that no build leaves");
  add(bad_lists, "cells whose lists do not follow each other");
  add(bad_ids, "primitive ids out of range or order");
  add(wrong_references, "primitives in cells that they do not touch");
  add(missing_references, "cells without a primitive that touches them");
  return text.empty() ? "valid" : text;
}

GridFaults validate(Context& context, const Grid& grid, const TriangleViews& triangles) {
  return run(context, grid, {triangles.views(), nullptr, triangles.primitive_count()});
}

GridFaults validate(Context& context, const Grid& grid, const BoxView& boxes) {
  return run(context, grid, {{}, boxes.boxes.data(), boxes.boxes.size()});
}

}  // namespace copse
