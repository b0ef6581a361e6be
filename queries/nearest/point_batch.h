#pragma once

// Queries about points, over triangles of views and packed triangles. For bodies: the executor's primitives must be
// included.
//
// If points are in no order, neighbouring threads read all parts of the tree, so large batches are processed along a
// Morton curve through the points. nearest/box of copse-bench-queries on two CPU cores reaches 0.5 to 1.4 times the
// rate of Embree's point query on testball-x16, and 0.5 to 0.9 times on the apartment.

#include "queries/k_nearest.h"
#include "queries/nearest/query_batch.h"
#include "queries/point_inside.h"
#include "queries/wide_query_walk.h"

namespace copse::detail {

template <class View>
struct StoreRootBox {
  View bvh;
  Aabb* box;
  COPSE_HD void operator()(u64) const { *box = root_box(bvh); }
};

template <class View, class Source>
struct FindNearest {
  View bvh;
  Source triangles;
  const vec3* points;
  QueryOrder order;
  float max_distance;
  NearestPoint* nearest;
  COPSE_HD void operator()(u64 k) const {
    const u64 i = order(k);
    nearest[i] = nearest_point(bvh, triangles, points[i], max_distance);
  }
};

template <class View, class Source>
struct FindNeighbours {
  View bvh;
  Source triangles;
  const vec3* points;
  QueryOrder order;
  float max_distance;
  u32 k;
  Neighbour* neighbours;
  COPSE_HD void operator()(u64 place) const {
    const u64 i = order(place);
    Neighbour* const own = neighbours + i * k;
    const u32 count = k_nearest(bvh, triangles, points[i], max_distance, k, own);
    for (u32 j = count; j < k; ++j) own[j] = Neighbour::none();
  }
};

template <class View, class Source>
struct FindInside {
  View bvh;
  Source triangles;
  const vec3* points;
  u8* inside;
  COPSE_HD void operator()(u64 i) const { inside[i] = is_inside(bvh, triangles, points[i]) ? 1 : 0; }
};

template <class Executor, class View>
QueryOrder order_along_curve(const Executor& ex, ScratchArena::Frame& frame, const View& bvh,
                             BufferSpan<const vec3> points) {
  if (!may_order(points.size())) return {nullptr};
  Aabb* const box = frame.template allocate<Aabb>(1);
  for_each(ex, "queries: order of points", 1, StoreRootBox<View>{bvh, box});
  return order_within_box(ex, frame, box, points);
}

template <class Executor, class View, class Triangles>
void nearest_points(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const vec3> points,
                    float max_distance, NearestPoint* nearest) {
  ScratchArena::Frame frame(ex.scratch);
  const auto source = query_source(ex, frame, triangles);
  const QueryOrder order = order_along_curve(ex, frame, bvh, points);
  persistent_for_each(
      ex, "queries: nearest points", points.size(), queries_at_once,
      FindNearest<View, QuerySource<Triangles>>{bvh, source, points.data(), order, max_distance, nearest});
}

template <class Executor, class View, class Triangles>
void nearest_primitives(const Executor& ex, const View& bvh, const Triangles& triangles,
                        BufferSpan<const vec3> points, float max_distance, u32 k, Neighbour* neighbours) {
  ScratchArena::Frame frame(ex.scratch);
  const auto source = query_source(ex, frame, triangles);
  const QueryOrder order = order_along_curve(ex, frame, bvh, points);
  persistent_for_each(ex, "queries: nearest primitives", points.size(), queries_at_once,
                      FindNeighbours<View, QuerySource<Triangles>>{bvh, source, points.data(), order, max_distance,
                                                                   k, neighbours});
}

template <class Executor, class View, class Triangles>
void points_inside(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const vec3> points,
                   u8* inside) {
  ScratchArena::Frame frame(ex.scratch);
  const auto source = query_source(ex, frame, triangles);
  persistent_for_each(ex, "queries: points inside", points.size(), queries_at_once,
                      FindInside<View, QuerySource<Triangles>>{bvh, source, points.data(), inside});
}

}  // namespace copse::detail
