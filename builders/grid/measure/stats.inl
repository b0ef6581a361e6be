// Statistics of grids: one reduction over the lists of all cells or buckets.

#include "builders/grid/hash_layout.h"
#include "builders/grid/measure/counts.h"
#include "primitives/core/bits.h"
#include "primitives/reduce.h"

namespace copse::detail {

struct MeasureCell {
  GridView grid;
  COPSE_HD ListSums operator()(u64 cell) const {
    const u32 count = grid.cell_begins.data()[cell + 1] - grid.cell_begins.data()[cell];
    return {count > 0 ? u64{1} : u64{0}, 0, count};
  }
};

struct MeasureBucket {
  HashGridView grid;
  COPSE_HD ListSums operator()(u64 bucket) const {
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

struct MergeListSums {
  COPSE_HD ListSums operator()(const ListSums& a, const ListSums& b) const {
    return {a.occupied_count + b.occupied_count, a.shared_count + b.shared_count, larger(a.largest, b.largest)};
  }
};

template <class Executor>
void measure_cells(const Executor& ex, const GridView& grid, u64 cell_count, ListSums* sums) {
  reduce(ex, "grid stats", cell_count, MeasureCell{grid}, ListSums{0, 0, 0}, MergeListSums{}, sums);
}

template <class Executor>
void measure_buckets(const Executor& ex, const HashGridView& grid, u64 bucket_count, ListSums* sums) {
  reduce(ex, "hash grid stats", bucket_count, MeasureBucket{grid}, ListSums{0, 0, 0}, MergeListSums{}, sums);
}

template void measure_cells(const BodyExecutor&, const GridView&, u64, ListSums*);
template void measure_buckets(const BodyExecutor&, const HashGridView&, u64, ListSums*);

}  // namespace copse::detail
