#include "builders/grid/uniform_grid.h"

#include <algorithm>
#include <string>

#include "builders/built_check.h"
#include "builders/geometry/triangle_check.h"
#include "builders/grid/cells/grid_arrays.h"
#include "builders/grid/grid_validate.h"
#include "builders/grid/uniform/grid_shape.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: uniform_grid.inl, for either executor.
template <class Executor>
void build_cells(const Executor& ex, const GridSource& source, const GridRequest& request, const GridArrays& grid);

/// Stores how many parts the primitives have, and how many references the parts below `part_capacity` need.
template <class Executor>
void count_cells(const Executor& ex, const GridSource& source, const GridRequest& request, u64 part_capacity,
                 u64* part_count, u64* reference_count);

template <class Executor>
u64 grid_scratch_bytes(const Executor& ex, u64 n, u64 view_count, u64 cell_capacity, u64 reference_capacity);

}  // namespace detail

namespace {

std::string text(const uvec3& v) {
  return std::to_string(v.x) + " x " + std::to_string(v.y) + " x " + std::to_string(v.z);
}

void check_resolution(const uvec3& resolution) {
  const auto in_range = [](u32 cells) { return cells >= 1 && cells <= max_grid_resolution; };
  if (!in_range(resolution.x) || !in_range(resolution.y) || !in_range(resolution.z)) {
    detail::refuse("grid", "the resolution is " + text(resolution) + "; each can be 1 to " +
                               std::to_string(max_grid_resolution));
  }
  const u64 cell_count = u64{resolution.x} * resolution.y * resolution.z;
  if (cell_count > max_grid_cells) {
    detail::refuse("grid", "the resolution is " + text(resolution) + ", which is " + std::to_string(cell_count) +
                               " cells; there can be " + std::to_string(max_grid_cells));
  }
}

u64 cells_by_density(u64 primitive_count, float density) {
  if (!(density > 0 && density <= 1024)) {
    detail::refuse("grid", "the density is " + std::to_string(density) + "; it can be above 0, up to 1024");
  }
  const double cells = double(density) * double(primitive_count);
  return std::clamp(u64(cells), u64{1}, max_grid_cells);
}

detail::GridRequest request_of(u64 primitive_count, const GridOptions& options) {
  return {options.resolution, u32(grid_cell_capacity(primitive_count, options))};
}

detail::GridArrays arrays_of(Grid& grid) {
  return {grid.shape.data(),         grid.cell_begins.data(),   grid.cell_capacity(),
          grid.primitive_ids.data(), grid.reference_capacity(), grid.counts.data()};
}

detail::GridSource source_of(const TriangleViews& triangles) {
  return {triangles.views(), nullptr, triangles.primitive_count()};
}

detail::GridSource source_of(const BoxView& boxes) {
  // No views: the body takes the boxes. If there are no boxes either, there are no primitives.
  return {{}, boxes.boxes.data(), boxes.boxes.size()};
}

u64 scratch_bytes(Context& context, u64 n, u64 view_count, u64 cell_capacity, u64 reference_capacity) {
  return dispatch(context, [&](const auto& ex) {
    return detail::grid_scratch_bytes(ex, n, view_count, cell_capacity, reference_capacity);
  });
}

void rebuild(Context& context, Grid& grid, const detail::GridSource& source, const GridOptions& options) {
  const detail::GridRequest request = request_of(source.count, options);
  detail::check_primitive_count(source.count);
  if (grid.shape.empty() || request.cell_count > grid.cell_capacity()) {
    detail::refuse("grid", "the rebuild needs " + detail::counted(request.cell_count, "cells") +
                               "; the grid has room for " + std::to_string(grid.cell_capacity()));
  }
  context.reserve_scratch(
      scratch_bytes(context, source.count, source.views.size(), grid.cell_capacity(), grid.reference_capacity()));
  ProfileScope scope(context.profile(), "grid");
  dispatch(context, [&](const auto& ex) { detail::build_cells(ex, source, request, arrays_of(grid)); });
  grid.source_count = source.count;
}

u64 count(Context& context, const detail::GridSource& source, const GridOptions& options) {
  const detail::GridRequest request = request_of(source.count, options);
  detail::check_primitive_count(source.count);
  Buffer<u64> totals(context, 2);
  const auto run = [&](u64 part_capacity) {
    dispatch(context, [&](const auto& ex) {
      detail::count_cells(ex, source, request, part_capacity, totals.data(), totals.data() + 1);
    });
    return totals.download();
  };
  return run(run(0)[0])[1];
}

Grid build(Context& context, const detail::GridSource& source, const GridOptions& options) {
  detail::check_primitive_count(source.count);
  const u64 cell_capacity = grid_cell_capacity(source.count, options);
  const u64 reference_capacity =
      options.reference_capacity > 0 ? options.reference_capacity : count(context, source, options);
  Grid grid = make_grid(context, cell_capacity, reference_capacity);
  rebuild(context, grid, source, options);
  return grid;
}

/// Checks a grid that has room for all its references. One that has not is no error: the caller asks check_complete.
template <class Primitives>
void validate_whole(Context& context, const char* function, const Grid& grid, const Primitives& primitives) {
  if (!context.validates()) return;
  const GridCounts counts = grid.counts.download()[0];
  if (counts.stored_count == counts.reference_count) {
    detail::validate_built(context, function, grid, primitives);
  }
}

}  // namespace

Grid make_grid(Context& context, u64 cell_capacity, u64 reference_capacity) {
  if (cell_capacity > max_grid_cells) {
    throw Error(ErrorCode::capacity, "make_grid: " + std::to_string(cell_capacity) + " cells; at most " +
                                         std::to_string(max_grid_cells) + " fit in one grid");
  }
  if (reference_capacity > max_references) {
    throw Error(ErrorCode::capacity, "make_grid: " + std::to_string(reference_capacity) + " references; at most " +
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
  throw Error(ErrorCode::capacity,
              "check_complete: the cells need " + detail::counted(counts.reference_count, "references") +
                  " or more; the grid has room for " + std::to_string(grid.reference_capacity()));
}

u64 grid_cell_capacity(u64 primitive_count, const GridOptions& options) {
  if (options.resolution == uvec3(0)) return cells_by_density(primitive_count, options.density);
  check_resolution(options.resolution);
  return u64{options.resolution.x} * options.resolution.y * options.resolution.z;
}

BuildSizes grid_sizes(Context& context, u64 primitive_count, const GridOptions& options, u64 view_count) {
  detail::check_primitive_count(primitive_count);
  const u64 cell_capacity = grid_cell_capacity(primitive_count, options);
  if (options.reference_capacity == 0) detail::refuse("grid_sizes", "reference_capacity is 0; it must be given");
  return {grid_bytes(cell_capacity, options.reference_capacity),
          scratch_bytes(context, primitive_count, view_count, cell_capacity, options.reference_capacity)};
}

u64 count_references(Context& context, const TriangleViews& triangles, const GridOptions& options) {
  return count(context, source_of(triangles), options);
}
u64 count_references(Context& context, const BoxView& boxes, const GridOptions& options) {
  return count(context, source_of(boxes), options);
}

void rebuild_grid(Context& context, Grid& grid, const TriangleViews& triangles, const GridOptions& options) {
  detail::validate_triangles(context, "rebuild_grid", triangles);
  rebuild(context, grid, source_of(triangles), options);
  validate_whole(context, "rebuild_grid", grid, triangles);
}
void rebuild_grid(Context& context, Grid& grid, const BoxView& boxes, const GridOptions& options) {
  detail::validate_span(context, "rebuild_grid", "boxes", boxes.boxes);
  rebuild(context, grid, source_of(boxes), options);
  validate_whole(context, "rebuild_grid", grid, boxes);
}

Grid build_grid(Context& context, const TriangleViews& triangles, const GridOptions& options) {
  detail::validate_triangles(context, "build_grid", triangles);
  Grid grid = build(context, source_of(triangles), options);
  validate_whole(context, "build_grid", grid, triangles);
  return grid;
}
Grid build_grid(Context& context, const BoxView& boxes, const GridOptions& options) {
  detail::validate_span(context, "build_grid", "boxes", boxes.boxes);
  Grid grid = build(context, source_of(boxes), options);
  validate_whole(context, "build_grid", grid, boxes);
  return grid;
}

}  // namespace copse
