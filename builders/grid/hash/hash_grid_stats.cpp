#include "builders/grid/hash_grid_stats.h"

#include "builders/grid/hash/hash_grid_stats_body.h"
#include "primitives/core/dispatch.h"

namespace copse {

HashGridStats stats(Context& context, const HashGrid& grid) {
  if (!grid.is_built()) throw Error(ErrorCode::invalid_argument, "stats of a hash grid that was never built");
  const HashGridShape shape = grid.shape.download()[0];
  HashGridStats result;
  result.counts = grid.counts.download()[0];
  result.resolution = shape.resolution;
  result.lo = shape.lo;
  result.cell_size = 1 / shape.cells_per_unit;
  result.bucket_count = shape.bucket_count;
  result.size_bytes = grid.size_bytes();

  Buffer<detail::BucketSums> buffer(context, 1);
  dispatch(context,
           [&](const auto& ex) { detail::measure_buckets(ex, grid.view(), grid.bucket_count(), buffer.data()); });
  const detail::BucketSums sums = buffer.download()[0];
  result.occupied_count = sums.occupied_count;
  result.shared_count = sums.shared_count;
  result.largest_bucket = sums.largest_bucket;
  if (sums.occupied_count > 0) result.occupancy = double(result.counts.point_count) / double(sums.occupied_count);
  return result;
}

}  // namespace copse
