// Batches of questions about points and regions to a scene. Points are processed along a Morton curve through its box,
// as those through a tree (queries/nearest/point_batch.h). Lists of overlaps take count, scan and fill.

#include "primitives/persistent.h"
#include "queries/nearest/query_batch.h"
#include "scene/scene_query_view.h"

namespace copse::detail {

namespace {

/// What all questions of a batch share.
struct SceneQuestions {
  SceneView scene;
  u32 mask;
};

struct StoreSceneBox {
  SceneView scene;
  Aabb* box;
  COPSE_HD void operator()(u64) const { *box = root_box(scene.tree); }
};

struct FindNearestInScene {
  SceneQuestions ask;
  const vec3* points;
  QueryOrder order;
  float max_distance;
  SceneNearest* nearest;
  COPSE_HD void operator()(u64 k) const {
    const u64 i = order(k);
    nearest[i] = nearest_point(ask.scene, points[i], max_distance, ask.mask);
  }
};

struct FindNeighboursInScene {
  SceneQuestions ask;
  const vec3* points;
  QueryOrder order;
  float max_distance;
  u32 k;
  SceneNeighbour* neighbours;
  COPSE_HD void operator()(u64 place) const {
    const u64 i = order(place);
    SceneNeighbour* const own = neighbours + i * k;
    const u32 count = k_nearest(ask.scene, points[i], max_distance, k, own, ask.mask);
    for (u32 j = count; j < k; ++j) own[j] = SceneNeighbour::none();
  }
};

struct FindInsideScene {
  SceneQuestions ask;
  const vec3* points;
  u8* inside;
  COPSE_HD void operator()(u64 i) const { inside[i] = is_inside(ask.scene, points[i], ask.mask) ? 1 : 0; }
};

template <class Region>
struct CountSceneOverlaps {
  SceneQuestions ask;
  const Region* regions;
  u32* counts;
  COPSE_HD void operator()(u64 i) const { counts[i] = count_overlaps(ask.scene, regions[i], ask.mask); }
};

/// Stores overlaps from a place on, as far as there is room.
struct StoreSceneVisits {
  SceneOverlap* out;
  u64 at, end;
  COPSE_HD bool operator()(const SceneOverlap& overlap) {
    if (at < end) out[at] = overlap;
    return ++at >= end;
  }
};

template <class Region>
struct StoreSceneOverlaps {
  SceneQuestions ask;
  const Region* regions;
  const u64* offsets;
  BufferSpan<SceneOverlap> overlaps;
  COPSE_HD void operator()(u64 i) const {
    const u64 end = smaller(offsets[i + 1], overlaps.size());
    if (offsets[i] >= end) return;
    StoreSceneVisits store{overlaps.data(), offsets[i], end};
    for_each_overlap(ask.scene, regions[i], store, ask.mask);
  }
};

template <class Executor>
QueryOrder order_in_scene(const Executor& ex, ScratchArena::Frame& frame, const SceneView& scene,
                          BufferSpan<const vec3> points) {
  if (!may_order(points.size())) return {nullptr};
  Aabb* const box = frame.template allocate<Aabb>(1);
  for_each(ex, "queries: order of points", 1, StoreSceneBox{scene, box});
  return order_within_box(ex, frame, box, points);
}

}  // namespace

template <class Executor>
void nearest_in_scene(const Executor& ex, const SceneView& scene, BufferSpan<const vec3> points,
                      float max_distance, u32 mask, SceneNearest* nearest) {
  ScratchArena::Frame frame(ex.scratch);
  const QueryOrder order = order_in_scene(ex, frame, scene, points);
  persistent_for_each(ex, "queries: nearest points", points.size(), queries_at_once,
                      FindNearestInScene{{scene, mask}, points.data(), order, max_distance, nearest});
}

template <class Executor>
void neighbours_in_scene(const Executor& ex, const SceneView& scene, BufferSpan<const vec3> points,
                         float max_distance, u32 mask, u32 k, SceneNeighbour* neighbours) {
  ScratchArena::Frame frame(ex.scratch);
  const QueryOrder order = order_in_scene(ex, frame, scene, points);
  persistent_for_each(ex, "queries: nearest primitives", points.size(), queries_at_once,
                      FindNeighboursInScene{{scene, mask}, points.data(), order, max_distance, k, neighbours});
}

template <class Executor>
void inside_scene(const Executor& ex, const SceneView& scene, BufferSpan<const vec3> points, u32 mask,
                  u8* inside) {
  persistent_for_each(ex, "queries: points inside", points.size(), queries_at_once,
                      FindInsideScene{{scene, mask}, points.data(), inside});
}

template <class Executor, class Region>
void count_scene_overlaps(const Executor& ex, const SceneView& scene, BufferSpan<const Region> regions, u32 mask,
                          u32* counts) {
  persistent_for_each(ex, "queries: count overlaps", regions.size(), queries_at_once,
                      CountSceneOverlaps<Region>{{scene, mask}, regions.data(), counts});
}

template <class Executor, class Region>
void place_scene_overlaps(const Executor& ex, const SceneView& scene, BufferSpan<const Region> regions, u32 mask,
                          u64* offsets) {
  ScratchArena::Frame frame(ex.scratch);
  u32* const counts = frame.template allocate<u32>(regions.size());
  count_scene_overlaps(ex, scene, regions, mask, counts);
  place_lists(ex, "queries: place overlaps", counts, regions.size(), offsets);
}

template <class Executor, class Region>
void store_scene_overlaps(const Executor& ex, const SceneView& scene, BufferSpan<const Region> regions, u32 mask,
                          const u64* offsets, BufferSpan<SceneOverlap> overlaps) {
  if (overlaps.empty()) return;
  persistent_for_each(ex, "queries: store overlaps", regions.size(), queries_at_once,
                      StoreSceneOverlaps<Region>{{scene, mask}, regions.data(), offsets, overlaps});
}

template void nearest_in_scene(const BodyExecutor&, const SceneView&, BufferSpan<const vec3>, float, u32,
                               SceneNearest*);
template void neighbours_in_scene(const BodyExecutor&, const SceneView&, BufferSpan<const vec3>, float, u32, u32,
                                  SceneNeighbour*);
template void inside_scene(const BodyExecutor&, const SceneView&, BufferSpan<const vec3>, u32, u8*);

/// The instances for one region.
#define COPSE_SCENE_OVERLAPS_OF(Region)                                                                           \
  template void count_scene_overlaps(const BodyExecutor&, const SceneView&, BufferSpan<const Region>, u32, u32*); \
  template void place_scene_overlaps(const BodyExecutor&, const SceneView&, BufferSpan<const Region>, u32, u64*); \
  template void store_scene_overlaps(const BodyExecutor&, const SceneView&, BufferSpan<const Region>, u32,        \
                                     const u64*, BufferSpan<SceneOverlap>)

COPSE_SCENE_OVERLAPS_OF(Aabb);
COPSE_SCENE_OVERLAPS_OF(Sphere);
COPSE_SCENE_OVERLAPS_OF(Frustum);

#undef COPSE_SCENE_OVERLAPS_OF

}  // namespace copse::detail
