#pragma once

// Batches of queries about points and regions, for a Scene and a scene of scenes. Points are processed along a Morton
// curve through the box of the scene, as in queries/nearest/point_batch.h. Lists of overlaps are made by count, scan
// and fill. For bodies that include primitives/persistent.h.

#include "queries/nearest/query_batch.h"
#include "scene/queries/scene_answers.h"

namespace copse::detail {

/// The data that all queries of a batch share.
template <class View>
struct SceneQuestions {
  View scene;
  u32 mask;
};

struct StoreSceneBox {
  CompressedBvh4View tree;
  Aabb* box;
  COPSE_HD void operator()(u64) const { *box = root_box(tree); }
};

template <class View>
struct FindNearestInScene {
  SceneQuestions<View> ask;
  const vec3* points;
  QueryOrder order;
  float max_distance;
  NearestOf<View>* nearest;
  COPSE_HD void operator()(u64 k) const {
    const u64 i = order(k);
    nearest[i] = nearest_point(ask.scene, points[i], max_distance, ask.mask);
  }
};

template <class View>
struct FindNeighboursInScene {
  SceneQuestions<View> ask;
  const vec3* points;
  QueryOrder order;
  float max_distance;
  u32 k;
  NeighbourOf<View>* neighbours;
  COPSE_HD void operator()(u64 place) const {
    const u64 i = order(place);
    NeighbourOf<View>* const own = neighbours + i * k;
    const u32 count = k_nearest(ask.scene, points[i], max_distance, k, own, ask.mask);
    for (u32 j = count; j < k; ++j) own[j] = NeighbourOf<View>::none();
  }
};

template <class View>
struct FindInsideScene {
  SceneQuestions<View> ask;
  const vec3* points;
  u8* inside;
  COPSE_HD void operator()(u64 i) const { inside[i] = is_inside(ask.scene, points[i], ask.mask) ? 1 : 0; }
};

template <class View, class Region>
struct CountSceneOverlaps {
  SceneQuestions<View> ask;
  const Region* regions;
  u32* counts;
  COPSE_HD void operator()(u64 i) const { counts[i] = count_overlaps(ask.scene, regions[i], ask.mask); }
};

/// Stores overlaps from a place on, up to the end of the buffer.
template <class Overlap>
struct StoreSceneVisits {
  Overlap* out;
  u64 at, end;
  COPSE_HD bool operator()(const Overlap& overlap) {
    if (at < end) out[at] = overlap;
    return ++at >= end;
  }
};

template <class View, class Region>
struct StoreSceneOverlaps {
  SceneQuestions<View> ask;
  const Region* regions;
  const u64* offsets;
  BufferSpan<OverlapOf<View>> overlaps;
  COPSE_HD void operator()(u64 i) const {
    const u64 end = smaller(offsets[i + 1], overlaps.size());
    if (offsets[i] >= end) return;
    StoreSceneVisits<OverlapOf<View>> store{overlaps.data(), offsets[i], end};
    for_each_overlap(ask.scene, regions[i], store, ask.mask);
  }
};

template <class Executor>
QueryOrder order_in_scene(const Executor& ex, ScratchArena::Frame& frame, const CompressedBvh4View& tree,
                          BufferSpan<const vec3> points) {
  if (!may_order(points.size())) return {nullptr};
  Aabb* const box = frame.template allocate<Aabb>(1);
  for_each(ex, "queries: order of points", 1, StoreSceneBox{tree, box});
  return order_within_box(ex, frame, box, points);
}

template <class Executor, class View>
void nearest_in_scene(const Executor& ex, const View& scene, BufferSpan<const vec3> points, float max_distance,
                      u32 mask, NearestOf<View>* nearest) {
  ScratchArena::Frame frame(ex.scratch);
  const QueryOrder order = order_in_scene(ex, frame, top_of(scene), points);
  persistent_for_each(ex, "queries: nearest points", points.size(), queries_at_once,
                      FindNearestInScene<View>{{scene, mask}, points.data(), order, max_distance, nearest});
}

template <class Executor, class View>
void neighbours_in_scene(const Executor& ex, const View& scene, BufferSpan<const vec3> points, float max_distance,
                         u32 mask, u32 k, NeighbourOf<View>* neighbours) {
  ScratchArena::Frame frame(ex.scratch);
  const QueryOrder order = order_in_scene(ex, frame, top_of(scene), points);
  persistent_for_each(
      ex, "queries: nearest primitives", points.size(), queries_at_once,
      FindNeighboursInScene<View>{{scene, mask}, points.data(), order, max_distance, k, neighbours});
}

template <class Executor, class View>
void inside_scene(const Executor& ex, const View& scene, BufferSpan<const vec3> points, u32 mask, u8* inside) {
  persistent_for_each(ex, "queries: points inside", points.size(), queries_at_once,
                      FindInsideScene<View>{{scene, mask}, points.data(), inside});
}

template <class Executor, class View, class Region>
void count_scene_overlaps(const Executor& ex, const View& scene, BufferSpan<const Region> regions, u32 mask,
                          u32* counts) {
  persistent_for_each(ex, "queries: count overlaps", regions.size(), queries_at_once,
                      CountSceneOverlaps<View, Region>{{scene, mask}, regions.data(), counts});
}

template <class Executor, class View, class Region>
void place_scene_overlaps(const Executor& ex, const View& scene, BufferSpan<const Region> regions, u32 mask,
                          u64* offsets) {
  ScratchArena::Frame frame(ex.scratch);
  u32* const counts = frame.template allocate<u32>(regions.size());
  count_scene_overlaps(ex, scene, regions, mask, counts);
  place_lists(ex, "queries: place overlaps", counts, regions.size(), offsets);
}

template <class Executor, class View, class Region>
void store_scene_overlaps(const Executor& ex, const View& scene, BufferSpan<const Region> regions, u32 mask,
                          const u64* offsets, BufferSpan<OverlapOf<View>> overlaps) {
  if (overlaps.empty()) return;
  persistent_for_each(ex, "queries: store overlaps", regions.size(), queries_at_once,
                      StoreSceneOverlaps<View, Region>{{scene, mask}, regions.data(), offsets, overlaps});
}

/// Instantiates the functions of one kind of scene: those of points, and those of one kind of region.
#define COPSE_SCENE_POINT_QUERIES(View)                                                                        \
  template void nearest_in_scene(const BodyExecutor&, const View&, BufferSpan<const vec3>, float, u32,         \
                                 NearestOf<View>*);                                                            \
  template void neighbours_in_scene(const BodyExecutor&, const View&, BufferSpan<const vec3>, float, u32, u32, \
                                    NeighbourOf<View>*);                                                       \
  template void inside_scene(const BodyExecutor&, const View&, BufferSpan<const vec3>, u32, u8*)
#define COPSE_SCENE_OVERLAPS_OF(View, Region)                                                                     \
  template void count_scene_overlaps(const BodyExecutor&, const View&, BufferSpan<const Region>, u32, u32*);      \
  template void place_scene_overlaps(const BodyExecutor&, const View&, BufferSpan<const Region>, u32, u64*);      \
  template void store_scene_overlaps(const BodyExecutor&, const View&, BufferSpan<const Region>, u32, const u64*, \
                                     BufferSpan<OverlapOf<View>>)

}  // namespace copse::detail
