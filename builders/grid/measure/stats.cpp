#include "builders/grid/frustum_check.h"
#include "builders/grid/grid_stats.h"
#include "builders/grid/hash_grid_stats.h"
#include "builders/grid/measure/counts.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: stats.inl, for either executor.
template <class Executor>
void measure_cells(const Executor& ex, const GridView& grid, u64 cell_count, ListSums* sums);
template <class Executor>
void measure_buckets(const Executor& ex, const HashGridView& grid, u64 bucket_count, ListSums* sums);

}  // namespace detail

GridStats stats(Context& context, const Grid& grid) {
  if (!grid.is_built()) detail::refuse("stats", "the grid was never built");
  const GridShape shape = grid.shape.download()[0];
  GridStats result;
  result.counts = grid.counts.download()[0];
  result.resolution = shape.resolution;
  result.cell_count = shape.cell_count();
  result.lo = shape.lo;
  result.cell_size = 1.0 / shape.cells_per_unit;
  result.size_bytes = grid.size_bytes();

  Buffer<detail::ListSums> buffer(context, 1);
  dispatch(context,
           [&](const auto& ex) { detail::measure_cells(ex, grid.view(), result.cell_count, buffer.data()); });
  const detail::ListSums sums = buffer.download()[0];
  result.occupied_count = sums.occupied_count;
  result.largest_cell = sums.largest;
  const double references = double(result.counts.stored_count);
  if (result.occupied_count > 0) result.occupancy = references / double(result.occupied_count);
  if (grid.source_count > 0) result.duplication = references / double(grid.source_count);
  return result;
}

FrustumGridStats stats(Context& context, const FrustumGrid& grid) {
  if (grid.shape.empty() || !grid.cells.is_built()) detail::refuse("stats", "the frustum grid was never built");
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

HashGridStats stats(Context& context, const HashGrid& grid) {
  if (!grid.is_built()) detail::refuse("stats", "the hash grid was never built");
  const HashGridShape shape = grid.shape.download()[0];
  HashGridStats result;
  result.counts = grid.counts.download()[0];
  result.resolution = shape.resolution;
  result.lo = shape.lo;
  result.cell_size = 1 / shape.cells_per_unit;
  result.bucket_count = shape.bucket_count;
  result.size_bytes = grid.size_bytes();

  Buffer<detail::ListSums> buffer(context, 1);
  dispatch(context,
           [&](const auto& ex) { detail::measure_buckets(ex, grid.view(), grid.bucket_count(), buffer.data()); });
  const detail::ListSums sums = buffer.download()[0];
  result.occupied_count = sums.occupied_count;
  result.shared_count = sums.shared_count;
  result.largest_bucket = sums.largest;
  if (sums.occupied_count > 0) result.occupancy = double(result.counts.point_count) / double(sums.occupied_count);
  return result;
}

}  // namespace copse
