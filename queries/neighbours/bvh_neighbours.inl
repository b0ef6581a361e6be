// The points of a hierarchy of boxes around points.

#include "primitives/persistent.h"
#include "primitives/radix_sort.h"
#include "queries/bvh_points.h"
#include "queries/neighbours/bvh_query_order.h"

namespace copse::detail {

struct StoreLeafOfQuery {
  LeafOfQuery leaf_of;
  u32* leaves;
  COPSE_HD void operator()(u64 i) const { leaves[i] = leaf_of(i); }
};

template <class Executor>
BvhQueryOrder order_of_queries(const Executor& ex, ScratchArena::Frame& frame, const PointBvhView& bvh,
                               BufferSpan<const vec3> queries) {
  const u64 n = queries.size();
  u32* leaves = frame.template allocate<u32>(n);
  const LeafOfQuery leaf_of{bvh, queries.data()};
  if (!may_order(n)) {
    for_each(ex, "queries: leaves of points", n, StoreLeafOfQuery{leaf_of, leaves});
    return {{nullptr}, leaves};
  }
  u32* order = frame.template allocate<u32>(n);
  u32* unsorted = frame.template allocate<u32>(n);
  for_each(ex, "queries: leaves of points", n, StoreLeafOfQuery{leaf_of, unsorted});
  const u32 leaf_capacity = PointBvhShape(bvh.points.size()).leaf_count();
  radix_sort_pairs(ex, "queries: order of points", n, Elements<u32>{unsorted}, Index{}, leaves, order,
                   BitRange{0, larger(32 - leading_zeros(leaf_capacity), 1u)}, SortOrder::ascending);
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
