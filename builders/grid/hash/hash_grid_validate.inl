// Proof that a hash grid is what it should be. A point that stands in the bucket of its position, with ascending
// ids, stands there once; so as many points as are valid, all of them good, are all that there are.

#include "builders/grid/hash/hash_grid_validate_body.h"
#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/count.h"

namespace copse::detail {

struct CheckBucketList {
  HashGridView grid;
  u64 bucket_count, point_count;
  BucketFaults* faults;
  COPSE_HD void operator()(u64 bucket) const {
    const u32* const begins = grid.bucket_begins.data();
    const u32 begin = begins[bucket];
    const u64 end = bucket < bucket_count ? u64{begins[bucket + 1]} : point_count;
    const bool starts_at_0 = bucket > 0 || begin == 0, ends_at_end = bucket < bucket_count || begin == point_count;
    if (begin > end || end > point_count || !starts_at_0 || !ends_at_end) {
      fetch_add_relaxed(&faults->bad_lists, u64{1});
    }
  }
};

/// Checks the points of a bucket.
struct CheckBucketPoints {
  HashGridView grid;
  PositionSpan points;
  BucketFaults* faults;

  COPSE_HD void operator()(u64 bucket) const {
    const HashGridShape shape = grid.shape.data()[0];
    const u32 begin = grid.bucket_begins.data()[bucket], end = grid.bucket_begins.data()[bucket + 1];
    u64 bad = 0, wrong = 0;
    for (u32 at = begin; at < end; ++at) {
      const GridPoint point = grid.points.data()[at];
      if (!is_source(point)) {
        ++bad;
        continue;
      }
      const uvec3 cell = shape.cell_of(point.position);
      const bool is_inside =
          cell.x < shape.resolution.x && cell.y < shape.resolution.y && cell.z < shape.resolution.z;
      const bool ascends = at == begin || grid.points.data()[at - 1].id < point.id;
      if (!is_inside || shape.bucket_of(cell) != bucket || !ascends) ++wrong;
    }
    if (bad > 0) fetch_add_relaxed(&faults->bad_points, bad);
    if (wrong > 0) fetch_add_relaxed(&faults->wrong_buckets, wrong);
  }

 private:
  COPSE_HD bool is_source(const GridPoint& point) const {
    if (point.id >= points.size) return false;
    const vec3 source = clean_point(points.at(point.id)), copy = point.position;
    return is_finite(source) && bits_of(source.x) == bits_of(copy.x) && bits_of(source.y) == bits_of(copy.y) &&
           bits_of(source.z) == bits_of(copy.z);
  }
};

struct IsValidPoint {
  PositionSpan points;
  COPSE_HD bool operator()(u64 i) const { return is_finite(points.at(i)); }
};

/// Points that are valid and not there, or there and not counted.
struct CompareCounts {
  HashGridView grid;
  u64 source_count;
  const u64* valid_count;
  BucketFaults* faults;
  COPSE_HD void operator()(u64) const {
    const HashGridCounts counts = grid.counts.data()[0];
    const u64 there = counts.point_count, valid = *valid_count;
    faults->missing_points += valid > there ? valid - there : there - valid;
    faults->bad_lists += counts.invalid_count == source_count - valid ? 0 : 1;
  }
};

template <class Executor>
void check_buckets(const Executor& ex, const HashGridView& grid, u64 bucket_count, u64 point_count,
                   BucketFaults* faults) {
  for_each(ex, "hash grid validate: lists", bucket_count + 1,
           CheckBucketList{grid, bucket_count, point_count, faults});
}

template <class Executor>
void check_points(const Executor& ex, const HashGridView& grid, u64 bucket_count, const PositionSpan& points,
                  BucketFaults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  u64* valid_count = frame.allocate<u64>(1);
  for_each(ex, "hash grid validate: points", bucket_count, CheckBucketPoints{grid, points, faults});
  count_if(ex, "hash grid validate: valid", points.size, IsValidPoint{points}, valid_count);
  for_each(ex, "hash grid validate: counts", 1, CompareCounts{grid, points.size, valid_count, faults});
}

template void check_buckets(const BodyExecutor&, const HashGridView&, u64, u64, BucketFaults*);
template void check_points(const BodyExecutor&, const HashGridView&, u64, const PositionSpan&, BucketFaults*);

}  // namespace copse::detail
