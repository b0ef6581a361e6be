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

std::string HashGridFaults::message() const {
  std::string text;
  const auto add = [&](u64 count, const char* what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(bad_lists, "buckets whose lists do not follow each other, or counts that do not fit");
  add(bad_points, "points that are not the source's");
  add(wrong_buckets, "points out of their bucket or order");
  add(missing_points, "points missing");
  return text.empty() ? "valid" : text;
}

HashGridFaults validate(Context& context, const HashGrid& grid, const PositionSpan& points) {
  if (!grid.is_built()) throw Error(ErrorCode::invalid_argument, "validation of a hash grid that was never built");
  if (points.size != grid.source_count) {
    throw Error(ErrorCode::invalid_argument, "validation against " + std::to_string(points.size) +
                                                 " points of a hash grid that was built over " +
                                                 std::to_string(grid.source_count));
  }
  const HashGridCounts counts = grid.counts.download()[0];
  HashGridFaults faults;
  faults.bad_lists = count_faults(grid, grid.shape.download()[0], counts);
  if (!faults.ok()) return faults;

  Buffer<HashGridFaults> buffer(context, std::vector<HashGridFaults>(1));
  dispatch(context, [&](const auto& ex) {
    detail::check_buckets(ex, grid.view(), grid.bucket_count(), counts.point_count, buffer.data());
  });
  faults = buffer.download()[0];
  if (!faults.ok()) return faults;
  dispatch(context, [&](const auto& ex) {
    detail::check_points(ex, grid.view(), grid.bucket_count(), points, buffer.data());
  });
  return buffer.download()[0];
}

}  // namespace copse
