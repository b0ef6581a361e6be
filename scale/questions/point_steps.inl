// The steps of a wave of points on one rank. point_questions.cpp calls them.

#include "builders/bvh/wide_node.h"
#include "builders/geometry/packed_triangle.h"
#include "primitives/persistent.h"
#include "queries/nearest/query_batch.h"
#include "queries/wide_query_walk.h"
#include "scale/questions/forwarded_point.h"
#include "scale/waves/move_messages.h"

namespace copse::detail {

namespace {

using OwnTriangles = BufferSpan<const PackedTriangle>;

struct BeginPoint {
  const vec3* points;
  float limit;
  u32 rank;
  ForwardedPoint* live;
  COPSE_HD void operator()(u64 i) const { live[i] = {points[i], limit, 0, invalid_id, rank, u32(i)}; }
};

struct RouteToNearest {
  const ForwardedPoint* live;
  SpineView spine;
  u32* to;
  COPSE_HD void operator()(u64 i) const { to[i] = next_near_rank(spine, live[i]); }
};

struct RouteWayOut {
  const ForwardedPoint* live;
  SpineView spine;
  u32* to;
  COPSE_HD void operator()(u64 i) const { to[i] = next_crossed_rank(spine, live[i]); }
};

struct FindNearestHere {
  CompressedBvh4View tree;
  OwnTriangles triangles;
  PointVisit visit;
  NearestPoint* nearest;

  COPSE_HD void operator()(u64 i) const {
    ForwardedPoint& at = visit.live[i];
    const auto source = triangles_of(triangles);
    NearestTriangle find{source, at.point, TrianglePoint{vec3(0.0f), at.limit, 0, 0}};
    find.primitive = at.primitive;
    walk_nearest_first(tree, SquareDistance{at.point}, at.limit, find);
    const bool has_found = find.nearest_at != invalid_id;
    if (has_found) {
      at.limit = find.best.square;
      at.primitive = find.primitive;
      nearest[i] = {add_rn(at.point, find.best.offset),
                    sqrt_rn(find.best.square),
                    source.local_id(find.nearest_at),
                    source.geometry(find.nearest_at),
                    find.best.u,
                    find.best.v};
    }
    visit.note(i, has_found);
  }
};

struct PackFoundPoint {
  const ForwardedPoint* live;
  const NearestPoint* nearest;
  const u32* ids;
  FoundPoint* replies;
  COPSE_HD void operator()(u64 i) const { replies[i] = {nearest[ids[i]], live[ids[i]].index}; }
};

struct ClearNearest {
  NearestPoint* nearest;
  COPSE_HD void operator()(u64 i) const { nearest[i] = {vec3(0.0f), infinity, invalid_id, invalid_id, 0, 0}; }
};

/// A point looks only for better triangles than before, so the last reply counts.
struct KeepFoundPoint {
  const FoundPoint* replies;
  NearestPoint* nearest;
  COPSE_HD void operator()(u64 i) const { nearest[replies[i].index] = replies[i].nearest; }
};

/// A point gets a reply if the number of triangles on its way out is odd here.
struct CountWayOut {
  CompressedBvh4View tree;
  OwnTriangles triangles;
  SpineView spine;
  PointVisit visit;

  COPSE_HD void operator()(u64 i) const {
    AxisRay ray{};
    find_way_out(visit.live[i].point, root_box(spine.tree), ray);
    CountCrossings crossings{triangles_of(triangles), ray};
    walk_overlaps(tree, ray, crossings);
    visit.note(i, crossings.count % 2 == 1);
  }
};

struct PackPointIndex {
  const ForwardedPoint* live;
  const u32* ids;
  u32* replies;
  COPSE_HD void operator()(u64 i) const { replies[i] = live[ids[i]].index; }
};

struct ClearInside {
  u8* inside;
  COPSE_HD void operator()(u64 i) const { inside[i] = 0; }
};

struct ToggleInside {
  const u32* replies;
  u8* inside;
  COPSE_HD void operator()(u64 i) const { inside[replies[i]] ^= 1; }
};

}  // namespace

template <class Executor>
void begin_points(const Executor& ex, const vec3* points, u64 n, float limit, u32 rank, ForwardedPoint* live) {
  for_each(ex, "waves: begin points", n, BeginPoint{points, limit, rank, live});
}

template <class Executor>
void route_points(const Executor& ex, const ForwardedPoint* live, u64 n, const SpineView& spine, bool goes_out,
                  u32* to) {
  if (goes_out) {
    for_each(ex, "waves: route points", n, RouteWayOut{live, spine, to});
  } else {
    for_each(ex, "waves: route points", n, RouteToNearest{live, spine, to});
  }
}

template <class Executor>
void find_nearest_here(const Executor& ex, const CompressedBvh4View& tree,
                       BufferSpan<const PackedTriangle> triangles, u32 rank, u32 rank_count, ForwardedPoint* live,
                       u64 n, NearestPoint* nearest, u32* reply_to) {
  persistent_for_each(ex, "waves: nearest points", n, queries_at_once,
                      FindNearestHere{tree, triangles, {rank, rank_count, live, reply_to}, nearest});
}

template <class Executor>
void pack_nearest(const Executor& ex, const ForwardedPoint* live, const NearestPoint* nearest, const u32* ids,
                  u64 count, FoundPoint* replies) {
  for_each(ex, "waves: pack points", count, PackFoundPoint{live, nearest, ids, replies});
}

template <class Executor>
void begin_nearest(const Executor& ex, u64 n, NearestPoint* nearest) {
  for_each(ex, "waves: begin nearest", n, ClearNearest{nearest});
}

template <class Executor>
void keep_nearest(const Executor& ex, const FoundPoint* replies, u64 count, NearestPoint* nearest) {
  for_each(ex, "waves: keep nearest", count, KeepFoundPoint{replies, nearest});
}

template <class Executor>
void count_ways_out(const Executor& ex, const CompressedBvh4View& tree, BufferSpan<const PackedTriangle> triangles,
                    const SpineView& spine, u32 rank, u32 rank_count, ForwardedPoint* live, u64 n, u32* reply_to) {
  persistent_for_each(ex, "waves: points inside", n, queries_at_once,
                      CountWayOut{tree, triangles, spine, {rank, rank_count, live, reply_to}});
}

template <class Executor>
void pack_indices(const Executor& ex, const ForwardedPoint* live, const u32* ids, u64 count, u32* replies) {
  for_each(ex, "waves: pack inside", count, PackPointIndex{live, ids, replies});
}

template <class Executor>
void begin_inside(const Executor& ex, u64 n, u8* inside) {
  for_each(ex, "waves: begin inside", n, ClearInside{inside});
}

template <class Executor>
void toggle_inside(const Executor& ex, const u32* replies, u64 count, u8* inside) {
  for_each(ex, "waves: keep inside", count, ToggleInside{replies, inside});
}

using PackedSpanOfRank = BufferSpan<const PackedTriangle>;

template void move_messages(const BodyExecutor&, const ForwardedPoint*, const u32*, u64, ForwardedPoint*);
template void begin_points(const BodyExecutor&, const vec3*, u64, float, u32, ForwardedPoint*);
template void route_points(const BodyExecutor&, const ForwardedPoint*, u64, const SpineView&, bool, u32*);
template void find_nearest_here(const BodyExecutor&, const CompressedBvh4View&, PackedSpanOfRank, u32, u32,
                                ForwardedPoint*, u64, NearestPoint*, u32*);
template void pack_nearest(const BodyExecutor&, const ForwardedPoint*, const NearestPoint*, const u32*, u64,
                           FoundPoint*);
template void begin_nearest(const BodyExecutor&, u64, NearestPoint*);
template void keep_nearest(const BodyExecutor&, const FoundPoint*, u64, NearestPoint*);
template void count_ways_out(const BodyExecutor&, const CompressedBvh4View&, PackedSpanOfRank, const SpineView&,
                             u32, u32, ForwardedPoint*, u64, u32*);
template void pack_indices(const BodyExecutor&, const ForwardedPoint*, const u32*, u64, u32*);
template void begin_inside(const BodyExecutor&, u64, u8*);
template void toggle_inside(const BodyExecutor&, const u32*, u64, u8*);

}  // namespace copse::detail
