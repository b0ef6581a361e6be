#include "scene/scene_queries.h"

#include <string>

#include "primitives/core/dispatch.h"
#include "scene/build/scene_check.h"
#include "trace/batch/check.h"

namespace copse {

namespace detail {

// The body: scene_queries.inl, for either executor.

template <class Executor>
void nearest_in_scene(const Executor& ex, const SceneView& scene, BufferSpan<const vec3> points,
                      float max_distance, u32 mask, SceneNearest* nearest);
template <class Executor>
void neighbours_in_scene(const Executor& ex, const SceneView& scene, BufferSpan<const vec3> points,
                         float max_distance, u32 mask, u32 k, SceneNeighbour* neighbours);
template <class Executor>
void inside_scene(const Executor& ex, const SceneView& scene, BufferSpan<const vec3> points, u32 mask, u8* inside);

template <class Executor, class Region>
void count_scene_overlaps(const Executor& ex, const SceneView& scene, BufferSpan<const Region> regions, u32 mask,
                          u32* counts);
/// Stores where the list of each region begins, and where the last one ends.
template <class Executor, class Region>
void place_scene_overlaps(const Executor& ex, const SceneView& scene, BufferSpan<const Region> regions, u32 mask,
                          u64* offsets);
/// Stores the lists, which begin at `offsets`, as far as there is room.
template <class Executor, class Region>
void store_scene_overlaps(const Executor& ex, const SceneView& scene, BufferSpan<const Region> regions, u32 mask,
                          const u64* offsets, BufferSpan<SceneOverlap> overlaps);

}  // namespace detail

namespace {

/// Calls work(executor, view) for a scene that was built.
template <class Work>
void ask_scene(const char* function, Context& context, const Scene& scene, const Work& work) {
  detail::check_scene(function, context, scene);
  const SceneView view = scene.view();
  dispatch(context, [&](const auto& ex) { work(ex, view); });
}

}  // namespace

void nearest_points(Context& context, const Scene& scene, BufferSpan<const vec3> points,
                    BufferSpan<SceneNearest> nearest, float max_distance, u32 mask) {
  detail::check_results("nearest_points", "points", points, nearest);
  ask_scene("nearest_points", context, scene, [&](const auto& ex, const SceneView& view) {
    detail::nearest_in_scene(ex, view, points, max_distance, mask, nearest.data());
  });
}

void nearest_primitives(Context& context, const Scene& scene, BufferSpan<const vec3> points,
                        BufferSpan<SceneNeighbour> neighbours, float max_distance, u32 mask) {
  const u32 k =
      detail::results_each("nearest_primitives", "points", points.size(), "neighbours", neighbours.size());
  detail::check_apart("nearest_primitives", "points", points, neighbours);
  ask_scene("nearest_primitives", context, scene, [&](const auto& ex, const SceneView& view) {
    detail::neighbours_in_scene(ex, view, points, max_distance, mask, k, neighbours.data());
  });
}

void points_inside(Context& context, const Scene& scene, BufferSpan<const vec3> points, BufferSpan<u8> inside,
                   u32 mask) {
  detail::check_results("points_inside", "points", points, inside);
  ask_scene("points_inside", context, scene, [&](const auto& ex, const SceneView& view) {
    detail::inside_scene(ex, view, points, mask, inside.data());
  });
}

template <class Region>
void count_overlaps(Context& context, const Scene& scene, BufferSpan<const Region> regions, BufferSpan<u32> counts,
                    u32 mask) {
  detail::check_results("count_overlaps", "regions", regions, counts);
  ask_scene("count_overlaps", context, scene, [&](const auto& ex, const SceneView& view) {
    detail::count_scene_overlaps(ex, view, regions, mask, counts.data());
  });
}

template <class Region>
void find_overlaps(Context& context, const Scene& scene, BufferSpan<const Region> regions, BufferSpan<u64> offsets,
                   BufferSpan<SceneOverlap> overlaps, u32 mask) {
  detail::check_lists("find_overlaps", "regions", regions, offsets, overlaps);
  ask_scene("find_overlaps", context, scene, [&](const auto& ex, const SceneView& view) {
    detail::place_scene_overlaps(ex, view, regions, mask, offsets.data());
    detail::store_scene_overlaps(ex, view, regions, mask, offsets.data(), overlaps);
  });
}

template <class Region>
SceneOverlapLists all_overlaps(Context& context, const Scene& scene, BufferSpan<const Region> regions, u32 mask) {
  SceneOverlapLists lists{Buffer<u64>(context, regions.size() + 1), {}};
  ask_scene("all_overlaps", context, scene, [&](const auto& ex, const SceneView& view) {
    detail::place_scene_overlaps(ex, view, regions, mask, lists.offsets.data());
  });
  const u64 total = download(context, lists.offsets.span().subspan(regions.size(), 1))[0];
  lists.overlaps = Buffer<SceneOverlap>(context, total);
  ask_scene("all_overlaps", context, scene, [&](const auto& ex, const SceneView& view) {
    detail::store_scene_overlaps(ex, view, regions, mask, lists.offsets.data(), lists.overlaps.span());
  });
  return lists;
}

#define COPSE_SCENE_OVERLAPS_OF(Region)                                                                           \
  template COPSE_API void count_overlaps(Context&, const Scene&, BufferSpan<const Region>, BufferSpan<u32>, u32); \
  template COPSE_API void find_overlaps(Context&, const Scene&, BufferSpan<const Region>, BufferSpan<u64>,        \
                                        BufferSpan<SceneOverlap>, u32);                                           \
  template COPSE_API SceneOverlapLists all_overlaps(Context&, const Scene&, BufferSpan<const Region>, u32);
COPSE_SCENE_OVERLAPS_OF(Aabb)
COPSE_SCENE_OVERLAPS_OF(Sphere)
COPSE_SCENE_OVERLAPS_OF(Frustum)
#undef COPSE_SCENE_OVERLAPS_OF

}  // namespace copse
