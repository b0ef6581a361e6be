// Queries about points near points, in a BVH over points.

#include "primitives/persistent.h"
#include "primitives/radix_sort.h"
#include "queries/bvh_points.h"
#include "queries/neighbours/bvh_query_order.h"

namespace copse::detail {

struct StoreLeafOfQuery {
  LeafOfQuery leaf_of;
  QueryOrder order;
  u32* leaves;
  COPSE_HD void operator()(u64 i) const { leaves[i] = leaf_of(order(i)); }
};

/// Sorts the queries along the Hilbert curve, by all bits of their keys: in a cluster, the highest bits are equal. So
/// neighbouring queries take the same path to their leaves.
template <class Executor>
BvhQueryOrder order_of_queries(const Executor& ex, ScratchArena::Frame& frame, const PointBvhView& bvh,
                               BufferSpan<const vec3> queries) {
  const u64 n = queries.size();
  u32* leaves = frame.template allocate<u32>(n);
  u32* order = nullptr;
  if (may_order(n)) {
    order = frame.template allocate<u32>(n);
    radix_sort_read_once(ex, "queries: order of points", n, KeyOfQuery{bvh, queries.data()}, order, all_bits<u64>,
                         encoding_of<u64>(SortOrder::ascending));
  }
  for_each(ex, "queries: leaves of points", n, StoreLeafOfQuery{{bvh, queries.data()}, {order}, leaves});
  return {{order}, leaves};
}

}  // namespace copse::detail

#include "queries/neighbours/neighbour_batch.h"

namespace copse::detail {

template void count_neighbours(const BodyExecutor&, const PointBvhView&, BufferSpan<const vec3>, float, u32*);
template void place_neighbours(const BodyExecutor&, const PointBvhView&, BufferSpan<const vec3>, float, u64*);
template void store_neighbours(const BodyExecutor&, const PointBvhView&, BufferSpan<const vec3>, float, const u64*,
                               BufferSpan<u32>);
template void nearest_neighbours(const BodyExecutor&, const PointBvhView&, BufferSpan<const vec3>, float, u32,
                                 PointNeighbour*);

}  // namespace copse::detail
