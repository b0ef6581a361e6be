#pragma once

// The order in which queries of a BVH over points are processed: that of the leaves to which they would belong.

#include "queries/bvh_points.h"
#include "queries/nearest/query_batch.h"

namespace copse::detail {

/// The Hilbert key of a query in the box of the points.
struct KeyOfQuery {
  PointBvhView bvh;
  const vec3* queries;

  COPSE_HD u64 operator()(u64 i) const {
    const PointBvhCounts counts = bvh.counts.data()[0];
    const vec3 from = clean_point(queries[i]);
    return counts.point_count > 0 && is_finite(from) ? HilbertGrid::of(counts.bounds).key(from) : 0;
  }
};

/// The leaf to which a query would belong: the last one whose first key is at most the query's key.
struct LeafOfQuery {
  PointBvhView bvh;
  const vec3* queries;

  COPSE_HD u32 operator()(u64 i) const {
    const u64 point_count = bvh.counts.data()[0].point_count;
    if (point_count == 0) return 0;
    const PointBvhShape shape(point_count);
    const u64 key = KeyOfQuery{bvh, queries}(i);
    u32 node = 0;
    while (node < shape.first_leaf()) {
      const u32 first = 8 * node + 1, count = shape.child_count(node);
      node = first;
      for (u32 k = 1; k < count; ++k) {
        if (bvh.nodes.data()[first + k].first_key() <= key) node = first + k;
      }
    }
    return node - shape.first_leaf();
  }
};

/// An order, and the leaf of each query in it.
struct BvhQueryOrder : QueryOrder {
  const u32* leaves;
};

}  // namespace copse::detail
