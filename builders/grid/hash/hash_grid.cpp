#include "builders/grid/hash_grid.h"

#include <string>

#include "builders/built_check.h"
#include "builders/geometry/triangle_check.h"
#include "builders/grid/hash/hash_shape.h"
#include "builders/grid/hash_grid_validate.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: hash_grid.inl, for either executor.
template <class Executor>
void build_buckets(const Executor& ex, const PositionSpan& points, const HashGridOptions& options,
                   const HashGridArrays& grid);
template <class Executor>
u64 hash_grid_scratch_bytes(const Executor& ex, u64 n, u64 bucket_count);

}  // namespace detail

namespace {

void check_options(const HashGridOptions& options) {
  if (!(options.cell_size >= 0 && options.cell_size < infinity)) {
    detail::refuse("hash grid",
                   "the cell size is " + std::to_string(options.cell_size) + "; it can be 0 or above, and finite");
  }
  constexpr float most = 1 << 20;
  if (!(options.points_per_cell > 0 && options.points_per_cell <= most)) {
    detail::refuse("hash grid", "points_per_cell is " + std::to_string(options.points_per_cell) +
                                    "; it can be above 0, up to 2^20");
  }
}

void check_point_count(u64 count) {
  if (count <= max_grid_points) return;
  throw Error(ErrorCode::capacity, "hash grid: " + std::to_string(count) + " points; at most " +
                                       std::to_string(max_grid_points) + " fit in one");
}

void check_points(const PositionSpan& points) {
  check_point_count(points.size);
  const u64 stride = points.stride_bytes;
  if (stride >= sizeof(vec3) && stride % 4 == 0) return;
  detail::refuse("hash grid", "points are " + detail::counted(stride, "bytes") +
                                  " apart; the distance must be at least 12 and a multiple of 4");
}

u64 scratch_bytes(Context& context, u64 n, u64 bucket_count) {
  return dispatch(context, [&](const auto& ex) { return detail::hash_grid_scratch_bytes(ex, n, bucket_count); });
}

}  // namespace

HashGrid make_hash_grid(Context& context, u64 point_capacity) {
  check_point_count(point_capacity);
  HashGrid grid;
  grid.shape = Buffer<HashGridShape>(context, 1);
  grid.bucket_begins = Buffer<u32>(context, hash_bucket_count(point_capacity) + 1);
  grid.points = Buffer<GridPoint>(context, point_capacity);
  grid.counts = Buffer<HashGridCounts>(context, 1);
  return grid;
}

void rebuild_hash_grid(Context& context, HashGrid& grid, const PositionSpan& points,
                       const HashGridOptions& options) {
  check_options(options);
  check_points(points);
  if (grid.shape.empty() || points.size > grid.point_capacity()) {
    detail::refuse("hash grid", detail::counted(points.size, "points") + "; the grid has room for " +
                                    std::to_string(grid.point_capacity()));
  }
  detail::validate_positions(context, "build_hash_grid", "points", points);
  context.reserve_scratch(scratch_bytes(context, grid.point_capacity(), grid.bucket_count()));
  ProfileScope scope(context.profile(), "hash grid");
  const detail::HashGridArrays arrays{grid.shape.data(), grid.bucket_begins.data(), u32(grid.bucket_count()),
                                      grid.points.data(), grid.counts.data()};
  dispatch(context, [&](const auto& ex) { detail::build_buckets(ex, points, options, arrays); });
  grid.source_count = points.size;
  detail::validate_built(context, "build_hash_grid", grid, points);
}

HashGrid build_hash_grid(Context& context, const PositionSpan& points, const HashGridOptions& options) {
  check_options(options);
  check_points(points);
  HashGrid grid = make_hash_grid(context, points.size);
  rebuild_hash_grid(context, grid, points, options);
  return grid;
}

BuildSizes hash_grid_sizes(Context& context, u64 point_count) {
  check_point_count(point_count);
  const u64 bucket_count = hash_bucket_count(point_count);
  return {sizeof(HashGridShape) + (bucket_count + 1) * sizeof(u32) + point_count * sizeof(GridPoint) +
              sizeof(HashGridCounts),
          scratch_bytes(context, point_count, bucket_count)};
}

}  // namespace copse
