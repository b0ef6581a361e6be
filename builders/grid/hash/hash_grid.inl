// Hash grid: sort points by the bucket of their cell, find where the list of each bucket begins, and copy the
// points in that order. The sort is stable, so the points of a bucket are in the order of their ids.

#include "builders/grid/cells/list_begins.h"
#include "builders/grid/hash/hash_shape.h"
#include "builders/grid/hash_grid.h"
#include "primitives/inputs.h"
#include "primitives/radix_key.h"
#include "primitives/radix_sort.h"
#include "primitives/reduce.h"

namespace copse::detail {

struct StoreHashShape {
  const PointBox* points;
  u64 n;
  HashGridRequest request;
  HashGridShape* shape;
  HashGridCounts* counts;
  COPSE_HD void operator()(u64) const {
    *shape = make_hash_shape(*points, request);
    *counts = {points->count, n - points->count};
  }
};

/// Returns the bucket of a point, or the number past all buckets if the point is invalid.
struct BucketOfPoint {
  PositionSpan points;
  const HashGridShape* shape;
  COPSE_HD u32 operator()(u64 i) const {
    const vec3 p = clean_point(points.at(i));
    return is_finite(p) ? shape->bucket_of(shape->cell_of(p)) : shape->bucket_count;
  }
};

struct AllKeys {
  u64 count;
  COPSE_HD u64 operator()() const { return count; }
};

struct CopyPoint {
  PositionSpan points;
  const u32* sorted_buckets;
  const u32* sorted_ids;
  u32 bucket_count;
  GridPoint* out;
  COPSE_HD void operator()(u64 i) const {
    if (sorted_buckets[i] == bucket_count) return;
    const u32 id = sorted_ids[i];
    out[i] = {clean_point(points.at(id)), id};
  }
};

inline BitRange bits_of_buckets(u64 bucket_count) {
  return {0, 64 - leading_zeros(bucket_count)};
}

template <class Executor>
void build_buckets(const Executor& ex, const PositionSpan& points, const HashGridOptions& options,
                   const HashGridArrays& grid) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 n = points.size;
  const HashGridRequest request{options.cell_size, options.points_per_cell, grid.bucket_count};

  // Find the box of the points, and from it the cells.
  auto* box = frame.allocate<PointBox>(1);
  reduce(ex, "hash grid: bounds", n, BoxOfPoint{points}, PointBox::empty(), MergePointBoxes{}, box);
  for_each(ex, "hash grid: shape", 1, StoreHashShape{box, n, request, grid.shape, grid.counts});

  // Sort the points by bucket.
  u32* buckets = frame.allocate<u32>(n);
  u32* ids = frame.allocate<u32>(n);
  radix_sort_pairs(ex, "hash grid: sort", n, BucketOfPoint{points, grid.shape}, Index{}, buckets, ids,
                   bits_of_buckets(grid.bucket_count));

  // Find where the points of each bucket begin, and copy them.
  find_list_begins(ex, "hash grid: buckets", buckets, AllKeys{n}, grid.bucket_count, grid.bucket_begins);
  for_each(ex, "hash grid: points", n, CopyPoint{points, buckets, ids, grid.bucket_count, grid.points});
}

template <class Executor>
u64 hash_grid_scratch_bytes(const Executor& ex, u64 n, u64 bucket_count) {
  const u64 sort = radix_sort_pairs_scratch_bytes<u32, u32>(ex, n, bits_of_buckets(bucket_count));
  return ScratchArena::bytes_for<PointBox>(1) +
         larger(u64(reduce_scratch_bytes<PointBox>(ex, n)),
                2 * ScratchArena::bytes_for<u32>(n) + larger(sort, list_begins_scratch_bytes(bucket_count)));
}

template void build_buckets(const BodyExecutor&, const PositionSpan&, const HashGridOptions&,
                            const HashGridArrays&);
template u64 hash_grid_scratch_bytes(const BodyExecutor&, u64, u64);

}  // namespace copse::detail
