#include "builders/grid/grid_validate.h"

#include "builders/grid/grid_validate_body.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace {

/// Faults of the shape and the counts themselves; nothing else may be read before they are good.
u64 count_faults(const Grid& grid, const GridShape& shape, const GridCounts& counts) {
  const uvec3& r = shape.resolution;
  u64 faults = 0;
  for (const u32 cells : {r.x, r.y, r.z}) faults += cells == 0 || cells > most_grid_resolution;
  faults += u64{r.x} * r.y * r.z > grid.cell_capacity();
  faults += counts.stored_count > grid.reference_capacity() || counts.stored_count > counts.reference_count;
  return faults;
}

GridFaults run(Context& context, const Grid& grid, const detail::GridSource& source) {
  if (grid.shape.empty() || source.count != grid.source_count) {
    throw Error(ErrorCode::invalid_argument, "validation against " + std::to_string(source.count) +
                                                 " primitives of a grid that was built over " +
                                                 std::to_string(grid.source_count));
  }
  const GridShape shape = grid.shape.download()[0];
  const GridCounts counts = grid.counts.download()[0];
  GridFaults faults;
  faults.bad_lists = count_faults(grid, shape, counts);
  if (!faults.ok()) return faults;

  const u64 cell_count = shape.cell_count();
  Buffer<GridFaults> buffer(context, std::vector<GridFaults>(1));
  dispatch(context, [&](const auto& ex) {
    detail::check_lists(ex, grid.view(), cell_count, counts.stored_count, buffer.data());
  });
  faults = buffer.download()[0];
  if (!faults.ok()) return faults;
  dispatch(context,
           [&](const auto& ex) { detail::check_references(ex, source, grid.view(), cell_count, buffer.data()); });
  return buffer.download()[0];
}

}  // namespace

std::string GridFaults::message() const {
  std::string text;
  const auto add = [&](u64 count, const char* what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
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
