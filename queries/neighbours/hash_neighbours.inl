// Queries about points near points, in a hash grid. Queries are processed in the order of the buckets of their cells.

#include "primitives/persistent.h"
#include "primitives/radix_sort.h"
#include "queries/near_points.h"
#include "queries/nearest/query_batch.h"

namespace copse::detail {

/// The bucket of the cell of a query point.
struct BucketOfQuery {
  HashGridView grid;
  const vec3* queries;
  COPSE_HD u32 operator()(u64 i) const {
    const HashGridShape shape = grid.shape.data()[0];
    return is_finite(queries[i]) ? shape.bucket_of(shape.cell_of(queries[i])) : 0;
  }
};

template <class Executor>
QueryOrder order_of_queries(const Executor& ex, ScratchArena::Frame& frame, const HashGridView& grid,
                            BufferSpan<const vec3> queries) {
  const u32 bits = 63 - leading_zeros(u64{grid.bucket_begins.size() - 1});
  return order_by_place(ex, frame, queries.size(), BucketOfQuery{grid, queries.data()}, larger(bits, 1u));
}

}  // namespace copse::detail

#include "queries/neighbours/neighbour_batch.h"

namespace copse::detail {

template void count_neighbours(const BodyExecutor&, const HashGridView&, BufferSpan<const vec3>, float, u32*);
template void place_neighbours(const BodyExecutor&, const HashGridView&, BufferSpan<const vec3>, float, u64*);
template void store_neighbours(const BodyExecutor&, const HashGridView&, BufferSpan<const vec3>, float, const u64*,
                               BufferSpan<u32>);
template void nearest_neighbours(const BodyExecutor&, const HashGridView&, BufferSpan<const vec3>, float, u32,
                                 PointNeighbour*);

}  // namespace copse::detail
