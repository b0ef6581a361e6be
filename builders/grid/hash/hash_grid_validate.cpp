#include "builders/grid/hash_grid_validate.h"

#include <cmath>

#include "builders/grid/hash/hash_grid_validate_body.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace {

/// Faults of the shape and the counts themselves; nothing else may be read before they are good.
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

}  // namespace

ValidationReport validate(Context& context, const HashGrid& grid, const PositionSpan& points) {
  if (!grid.is_built()) throw Error(ErrorCode::invalid_argument, "validation of a hash grid that was never built");
  if (points.size != grid.source_count) {
    throw Error(ErrorCode::invalid_argument, "validation against " + std::to_string(points.size) +
                                                 " points of a hash grid that was built over " +
                                                 std::to_string(grid.source_count));
  }
  const HashGridCounts counts = grid.counts.download()[0];
  const u64 bad_lists = count_faults(grid, grid.shape.download()[0], counts);
  if (bad_lists > 0) return detail::report_of(detail::BucketFaults{.bad_lists = bad_lists});

  Buffer<detail::BucketFaults> buffer(context, std::vector<detail::BucketFaults>(1));
  dispatch(context, [&](const auto& ex) {
    detail::check_buckets(ex, grid.view(), grid.bucket_count(), counts.point_count, buffer.data());
  });
  if (const ValidationReport report = detail::report_of(buffer.download()[0]); !report.is_valid()) return report;
  dispatch(context, [&](const auto& ex) {
    detail::check_points(ex, grid.view(), grid.bucket_count(), points, buffer.data());
  });
  return detail::report_of(buffer.download()[0]);
}

}  // namespace copse
