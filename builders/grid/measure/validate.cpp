#include <bit>
#include <cmath>
#include <cstring>

#include "builders/grid/cells/grid_arrays.h"
#include "builders/grid/frustum/frustum_shape.h"
#include "builders/grid/frustum_check.h"
#include "builders/grid/grid_validate.h"
#include "builders/grid/hash_grid_validate.h"
#include "builders/grid/measure/counts.h"
#include "builders/validation_steps.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: validate.inl, for either executor. The checks of lists are safe on any content; the others need lists
// that follow each other.
template <class Executor>
void check_cell_lists(const Executor& ex, const GridView& grid, u64 cell_count, u64 reference_count,
                      CellFaults* faults);
template <class Executor>
void check_references(const Executor& ex, const GridSource& source, const GridView& grid, u64 cell_count,
                      CellFaults* faults);
template <class Executor>
void check_frustum_references(const Executor& ex, const GridSource& source, const FrustumShape* shape,
                              const GridView& grid, u64 cell_count, CellFaults* faults);
template <class Executor>
void check_bucket_lists(const Executor& ex, const HashGridView& grid, u64 bucket_count, u64 point_count,
                        BucketFaults* faults);
template <class Executor>
void check_points(const Executor& ex, const HashGridView& grid, u64 bucket_count, const PositionSpan& points,
                  BucketFaults* faults);

}  // namespace detail

namespace {

using detail::BucketFaults;
using detail::CellFaults;
using detail::check_built_over;
using detail::check_in_two_steps;

/// Counts the faults of the shape and the counts themselves. Nothing else may be read before they are good.
u64 count_faults(const Grid& grid, const GridShape& shape, const GridCounts& counts) {
  const uvec3& r = shape.resolution;
  u64 faults = 0;
  for (const u32 cells : {r.x, r.y, r.z}) faults += cells == 0 || cells > max_grid_resolution;
  faults += u64{r.x} * r.y * r.z > grid.cell_capacity();
  faults += counts.stored_count > grid.reference_capacity() || counts.stored_count > counts.reference_count;
  return faults;
}

u64 count_faults(const HashGrid& grid, const HashGridShape& shape, const HashGridCounts& counts) {
  u64 faults = 0;
  for (const u32 cells : {shape.resolution.x, shape.resolution.y, shape.resolution.z}) {
    faults += cells > max_hash_resolution || (cells == 0) != (counts.point_count == 0);
  }
  faults += shape.bucket_count != grid.bucket_count();
  faults += !(shape.cells_per_unit > 0 && std::isfinite(shape.cells_per_unit));
  for (const double lo : {shape.lo.x, shape.lo.y, shape.lo.z}) faults += !std::isfinite(lo);
  faults += counts.point_count > grid.point_capacity();
  return faults;
}

/// Returns true if the cells have a place and a size.
bool has_place(const GridShape& shape) {
  for (u32 axis = 0; axis < 3; ++axis) {
    const double lo = detail::coordinate(shape.lo, axis);
    const double cells_per_unit = detail::coordinate(shape.cells_per_unit, axis);
    if (!std::isfinite(lo) || !std::isfinite(cells_per_unit) || !(cells_per_unit > 0)) return false;
  }
  return true;
}

/// Calls check_references(ex, cell_count, faults) if the lists follow each other.
template <class CheckReferences>
ValidationReport check_cells(Context& context, const Grid& grid, const CheckReferences& check_references) {
  const GridShape shape = grid.shape.download()[0];
  const GridCounts counts = grid.counts.download()[0];
  const ValidationReport report = detail::report_of(
      CellFaults{.bad_shapes = has_place(shape) ? 0u : 1u, .bad_lists = count_faults(grid, shape, counts)});
  if (!report.is_valid()) return report;
  const u64 cell_count = shape.cell_count();
  return check_in_two_steps<CellFaults>(
      context,
      [&](const auto& ex, CellFaults* faults) {
        detail::check_cell_lists(ex, grid.view(), cell_count, counts.stored_count, faults);
      },
      [&](const auto& ex, CellFaults* faults) { check_references(ex, cell_count, faults); });
}

ValidationReport check_grid(Context& context, const Grid& grid, const detail::GridSource& source) {
  check_built_over(grid, source.count, "grid", "primitives");
  return check_cells(context, grid, [&](const auto& ex, u64 cell_count, CellFaults* faults) {
    detail::check_references(ex, source, grid.view(), cell_count, faults);
  });
}

bool same_bits(const dvec3& a, const dvec3& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
bool same_bits(double a, double b) {
  return std::bit_cast<u64>(a) == std::bit_cast<u64>(b);
}

bool same_shape(const FrustumShape& a, const FrustumShape& b) {
  return same_bits(a.eye, b.eye) && same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z) &&
         same_bits(a.x_y_z_per_length, b.x_y_z_per_length) && same_bits(a.length_per_x_y_z, b.length_per_x_y_z) &&
         same_bits(a.corner, b.corner) && same_bits(a.units_per_length, b.units_per_length) &&
         a.padding == b.padding;
}

bool same_shape(const GridShape& a, const GridShape& b) {
  return same_bits(a.lo, b.lo) && same_bits(a.cells_per_unit, b.cells_per_unit) && a.resolution == b.resolution;
}

/// Returns true if the shapes on the device are as a build makes them for the frustum of the grid. Everything but
/// the depths of the slabs follows from the frustum.
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

ValidationReport validate(Context& context, const Grid& grid, const TriangleViews& triangles) {
  return check_grid(context, grid, {triangles.views(), nullptr, triangles.primitive_count()});
}

ValidationReport validate(Context& context, const Grid& grid, const BoxView& boxes) {
  return check_grid(context, grid, {{}, boxes.boxes.data(), boxes.boxes.size()});
}

ValidationReport validate(Context& context, const FrustumGrid& grid, const TriangleViews& triangles) {
  const detail::GridSource source{triangles.views(), nullptr, triangles.primitive_count()};
  check_built_over(grid.cells, source.count, "grid", "primitives");
  if (!has_shape_of_frustum(grid)) return detail::report_of(CellFaults{.bad_shapes = 1});
  return check_cells(context, grid.cells, [&](const auto& ex, u64 cell_count, CellFaults* faults) {
    detail::check_frustum_references(ex, source, grid.shape.data(), grid.cells.view(), cell_count, faults);
  });
}

ValidationReport validate(Context& context, const HashGrid& grid, const PositionSpan& points) {
  check_built_over(grid, points.size, "hash grid", "points");
  const HashGridCounts counts = grid.counts.download()[0];
  const ValidationReport report =
      detail::report_of(BucketFaults{.bad_lists = count_faults(grid, grid.shape.download()[0], counts)});
  if (!report.is_valid()) return report;
  return check_in_two_steps<BucketFaults>(
      context,
      [&](const auto& ex, BucketFaults* faults) {
        detail::check_bucket_lists(ex, grid.view(), grid.bucket_count(), counts.point_count, faults);
      },
      [&](const auto& ex, BucketFaults* faults) {
        detail::check_points(ex, grid.view(), grid.bucket_count(), points, faults);
      });
}

}  // namespace copse
