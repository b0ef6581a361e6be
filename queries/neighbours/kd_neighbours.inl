// Points near points, in a kd-tree. Queries are processed in the order of the cells that contain them.

#include "primitives/persistent.h"
#include "primitives/radix_sort.h"
#include "queries/kd_points.h"
#include "queries/nearest/query_batch.h"

namespace copse::detail {

/// The cell of a query at a level of the tree, counted from left to right: one bit per level, 1 for the right side.
struct KdCellOfQuery {
  static constexpr u32 levels = 16;

  KdTreeView tree;
  const vec3* queries;

  COPSE_HD u32 operator()(u64 i) const {
    const u32 count = u32(tree.counts.data()[0].point_count);
    const vec3 from = queries[i];
    u32 cell = 0, node = 0;
    for (u32 level = 0; level < levels; ++level) {
      bool is_right = false;
      if (node < count) {
        const u32 axis = kd_axis(level);
        is_right = coordinate(from, axis) >= coordinate(tree.nodes.data()[node].position, axis);
        node = 2 * node + (is_right ? 2 : 1);
      }
      cell = 2 * cell + u32(is_right);
    }
    return cell;
  }
};

template <class Executor>
QueryOrder order_of_queries(const Executor& ex, ScratchArena::Frame& frame, const KdTreeView& tree,
                            BufferSpan<const vec3> queries) {
  return order_by_place(ex, frame, queries.size(), KdCellOfQuery{tree, queries.data()}, KdCellOfQuery::levels);
}

}  // namespace copse::detail

#include "queries/neighbours/neighbour_batch.h"

namespace copse::detail {

template void count_neighbours(const BodyExecutor&, const KdTreeView&, BufferSpan<const vec3>, float, u32*);
template void place_neighbours(const BodyExecutor&, const KdTreeView&, BufferSpan<const vec3>, float, u64*);
template void store_neighbours(const BodyExecutor&, const KdTreeView&, BufferSpan<const vec3>, float, const u64*,
                               BufferSpan<u32>);
template void nearest_neighbours(const BodyExecutor&, const KdTreeView&, BufferSpan<const vec3>, float, u32,
                                 PointNeighbour*);

}  // namespace copse::detail
