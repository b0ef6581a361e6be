#include "builders/grid/frustum_check.h"

#include <bit>
#include <cstring>

#include "builders/grid/frustum/frustum_grid_body.h"
#include "builders/grid/frustum/frustum_request.h"
#include "builders/grid/uniform/grid_validate_run.h"

namespace copse {

namespace {

bool same_bits(const dvec3& a, const dvec3& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
bool same_bits(double a, double b) {
  return std::bit_cast<u64>(a) == std::bit_cast<u64>(b);
}

bool same_shape(const FrustumShape& a, const FrustumShape& b) {
  return same_bits(a.eye, b.eye) && same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z) &&
         same_bits(a.x_y_z_a_length, b.x_y_z_a_length) && same_bits(a.length_a_x_y_z, b.length_a_x_y_z) &&
         same_bits(a.corner, b.corner) && same_bits(a.units_a_length, b.units_a_length) && a.padding == b.padding;
}

bool same_shape(const GridShape& a, const GridShape& b) {
  return same_bits(a.lo, b.lo) && same_bits(a.cells_per_unit, b.cells_per_unit) && a.resolution == b.resolution;
}

/// Whether the shapes on the device are those that a build leaves for the grid's frustum. All but the depths of
/// its slabs follows from that.
bool has_shape_of_frustum(const FrustumGrid& grid) {
  const detail::FrustumRequest request = detail::request_frustum(grid.frustum, grid.resolution);
  const FrustumShape shape = grid.shape.download()[0];
  if (!detail::are_depths_of(request, shape.nearest, shape.farthest)) return false;
  FrustumShape expected;
  GridShape cells;
  detail::shape_between(request, shape.nearest, shape.farthest, expected, cells);
  return same_shape(shape, expected) && same_shape(grid.cells.shape.download()[0], cells);
}

}  // namespace

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

ValidationReport validate(Context& context, const FrustumGrid& grid, const TriangleViews& triangles) {
  const u64 n = triangles.primitive_count();
  detail::check_built_over(grid.cells, n);
  if (!has_shape_of_frustum(grid)) {
    return detail::report_of(detail::CellFaults{.bad_shapes = 1});
  }
  return detail::run_grid_validation(
      context, grid.cells, n, [&](const auto& ex, u64 cell_count, detail::CellFaults* faults) {
        detail::check_frustum_references(ex, triangles.views(), n, grid.shape.data(), grid.cells.view(),
                                         cell_count, faults);
      });
}

}  // namespace copse
