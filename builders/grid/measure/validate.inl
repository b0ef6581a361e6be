// Proof that the content of a grid is right.
//
// First, its lists must follow each other. Then, in a grid of cells, each primitive is looked up in the lists of
// the cells that it touches; if as many references are found as are stored, there are no others. In a hash grid, a
// point that is in the bucket of its position, with ascending ids, occurs once. If this holds for all stored
// points, and their number is that of the valid points, then no point is missing.

#include "builders/geometry/make_triangle_table.h"
#include "builders/grid/cells/grid_arrays.h"
#include "builders/grid/frustum/frustum_cells.h"
#include "builders/grid/hash_layout.h"
#include "builders/grid/measure/counts.h"
#include "builders/grid/measure/find_in_cells.h"
#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/count.h"

namespace copse::detail {

/// Checks that list i runs from begins[i] to begins[i + 1], the first from 0 and the last to element_count.
struct CheckListBegins {
  const u32* begins;
  u64 list_count, element_count;
  u64* bad_lists;
  COPSE_HD void operator()(u64 list) const {
    const u32 begin = begins[list];
    const u64 end = list < list_count ? u64{begins[list + 1]} : element_count;
    const bool starts_at_0 = list > 0 || begin == 0, ends_at_end = list < list_count || begin == element_count;
    if (begin > end || end > element_count || !starts_at_0 || !ends_at_end) {
      fetch_add_relaxed(bad_lists, u64{1});
    }
  }
};

template <class Executor>
void check_cell_lists(const Executor& ex, const GridView& grid, u64 cell_count, u64 reference_count,
                      CellFaults* faults) {
  for_each(ex, "grid validate: lists", cell_count + 1,
           CheckListBegins{grid.cell_begins.data(), cell_count, reference_count, &faults->bad_lists});
}

template <class Executor>
void check_references(const Executor& ex, const GridSource& source, const GridView& grid, u64 cell_count,
                      CellFaults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  if (source.boxes != nullptr) {
    find_primitives(ex, CellsOfBoxes{{source.boxes}, grid.shape.data()}, source.count, grid, cell_count, faults);
  } else {
    const TriangleTable table = make_triangle_table(ex, frame, source.views);
    find_primitives(ex, CellsOfTriangles{table, grid.shape.data(), grid_units()}, source.count, grid, cell_count,
                    faults);
  }
}

template <class Executor>
void check_frustum_references(const Executor& ex, const GridSource& source, const FrustumShape* shape,
                              const GridView& grid, u64 cell_count, CellFaults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable table = make_triangle_table(ex, frame, source.views);
  find_primitives(ex, CellsOfFrustum{table, shape, grid.shape.data()}, source.count, grid, cell_count, faults);
}

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

/// Compares how many points are valid with how many are stored and counted.
struct ComparePointCounts {
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
void check_bucket_lists(const Executor& ex, const HashGridView& grid, u64 bucket_count, u64 point_count,
                        BucketFaults* faults) {
  for_each(ex, "hash grid validate: lists", bucket_count + 1,
           CheckListBegins{grid.bucket_begins.data(), bucket_count, point_count, &faults->bad_lists});
}

template <class Executor>
void check_points(const Executor& ex, const HashGridView& grid, u64 bucket_count, const PositionSpan& points,
                  BucketFaults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  u64* valid_count = frame.allocate<u64>(1);
  for_each(ex, "hash grid validate: points", bucket_count, CheckBucketPoints{grid, points, faults});
  count_if(ex, "hash grid validate: valid", points.size, IsValidPoint{points}, valid_count);
  for_each(ex, "hash grid validate: counts", 1, ComparePointCounts{grid, points.size, valid_count, faults});
}

template void check_cell_lists(const BodyExecutor&, const GridView&, u64, u64, CellFaults*);
template void check_references(const BodyExecutor&, const GridSource&, const GridView&, u64, CellFaults*);
template void check_frustum_references(const BodyExecutor&, const GridSource&, const FrustumShape*,
                                       const GridView&, u64, CellFaults*);
template void check_bucket_lists(const BodyExecutor&, const HashGridView&, u64, u64, BucketFaults*);
template void check_points(const BodyExecutor&, const HashGridView&, u64, const PositionSpan&, BucketFaults*);

}  // namespace copse::detail
