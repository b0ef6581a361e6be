// Measures of a hash grid, each bucket once.

#include "builders/grid/hash/hash_grid_stats_body.h"
#include "primitives/core/bits.h"
#include "primitives/reduce.h"

namespace copse::detail {

struct MeasureBucket {
  HashGridView grid;
  COPSE_HD BucketSums operator()(u64 bucket) const {
    const HashGridShape shape = grid.shape.data()[0];
    const u32 begin = grid.bucket_begins.data()[bucket], end = grid.bucket_begins.data()[bucket + 1];
    if (begin == end) return {0, 0, 0};
    const GridPoint* const points = grid.points.data();
    const uvec3 cell = shape.cell_of(points[begin].position);
    u32 at = begin + 1;
    while (at < end && shape.cell_of(points[at].position) == cell) ++at;
    return {1, at < end ? u64{1} : u64{0}, end - begin};
  }
};

struct MergeBucketSums {
  COPSE_HD BucketSums operator()(const BucketSums& a, const BucketSums& b) const {
    return {a.occupied_count + b.occupied_count, a.shared_count + b.shared_count,
            larger(a.largest_bucket, b.largest_bucket)};
  }
};

template <class Executor>
void measure_buckets(const Executor& ex, const HashGridView& grid, u64 bucket_count, BucketSums* sums) {
  reduce(ex, "hash grid stats", bucket_count, MeasureBucket{grid}, BucketSums{0, 0, 0}, MergeBucketSums{}, sums);
}

template void measure_buckets(const BodyExecutor&, const HashGridView&, u64, BucketSums*);

}  // namespace copse::detail
