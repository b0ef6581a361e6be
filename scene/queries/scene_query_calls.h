#pragma once

// The calls of batches of questions about points and regions, with their checks, for a Scene and a scene of scenes.

#include <string>

#include "primitives/core/dispatch.h"
#include "primitives/core/validation.h"
#include "scene/build/scene_check.h"
#include "scene/queries/scene_answers.h"
#include "trace/batch/check.h"

namespace copse::detail {

// The bodies: scene_queries.inl and nested/nested_queries.inl, for either executor.

template <class Executor, class View>
void nearest_in_scene(const Executor& ex, const View& scene, BufferSpan<const vec3> points, float max_distance,
                      u32 mask, NearestOf<View>* nearest);
template <class Executor, class View>
void neighbours_in_scene(const Executor& ex, const View& scene, BufferSpan<const vec3> points, float max_distance,
                         u32 mask, u32 k, NeighbourOf<View>* neighbours);
template <class Executor, class View>
void inside_scene(const Executor& ex, const View& scene, BufferSpan<const vec3> points, u32 mask, u8* inside);

template <class Executor, class View, class Region>
void count_scene_overlaps(const Executor& ex, const View& scene, BufferSpan<const Region> regions, u32 mask,
                          u32* counts);
/// Stores where the list of each region begins, and where the last one ends.
template <class Executor, class View, class Region>
void place_scene_overlaps(const Executor& ex, const View& scene, BufferSpan<const Region> regions, u32 mask,
                          u64* offsets);
/// Stores the lists, which begin at `offsets`, up to the end of the buffer.
template <class Executor, class View, class Region>
void store_scene_overlaps(const Executor& ex, const View& scene, BufferSpan<const Region> regions, u32 mask,
                          const u64* offsets, BufferSpan<OverlapOf<View>> overlaps);

/// Queries of a scene through instances that share a bit with a mask.
///   Structure: Scene or NestedScene
template <class Structure>
struct SceneQueryCalls {
  using View = decltype(std::declval<Structure>().view());

  Context& context;
  const Structure& scene;
  u32 mask;

  /// Calls work(executor, view) for a scene that was built.
  template <class Work>
  void ask(const char* function, const Work& work) const {
    check_scene(function, context, scene);
    const View view = scene.view();
    dispatch(context, [&](const auto& ex) { work(ex, view); });
  }

  void nearest(BufferSpan<const vec3> points, BufferSpan<NearestOf<View>> nearest, float max_distance) const {
    check_results(context, "nearest_points", "points", points, nearest, &ValidationCounts::nan_points);
    ask("nearest_points", [&](const auto& ex, const View& view) {
      nearest_in_scene(ex, view, points, max_distance, mask, nearest.data());
    });
  }

  void neighbours(BufferSpan<const vec3> points, BufferSpan<NeighbourOf<View>> neighbours,
                  float max_distance) const {
    const u32 k = results_each("nearest_primitives", "points", points.size(), "neighbours", neighbours.size());
    check_apart("nearest_primitives", "points", points, neighbours);
    validate_queries(context, "nearest_primitives", "points", points, &ValidationCounts::nan_points);
    validate_span(context, "nearest_primitives", "neighbours", neighbours);
    ask("nearest_primitives", [&](const auto& ex, const View& view) {
      neighbours_in_scene(ex, view, points, max_distance, mask, k, neighbours.data());
    });
  }

  void inside(BufferSpan<const vec3> points, BufferSpan<u8> inside) const {
    check_results(context, "points_inside", "points", points, inside, &ValidationCounts::nan_points);
    ask("points_inside",
        [&](const auto& ex, const View& view) { inside_scene(ex, view, points, mask, inside.data()); });
  }

  template <class Region>
  void count(BufferSpan<const Region> regions, BufferSpan<u32> counts) const {
    check_results(context, "count_overlaps", "regions", regions, counts, nullptr);
    ask("count_overlaps",
        [&](const auto& ex, const View& view) { count_scene_overlaps(ex, view, regions, mask, counts.data()); });
  }

  template <class Region>
  void find(BufferSpan<const Region> regions, BufferSpan<u64> offsets,
            BufferSpan<OverlapOf<View>> overlaps) const {
    check_lists(context, "find_overlaps", "regions", regions, offsets, overlaps, nullptr);
    ask("find_overlaps", [&](const auto& ex, const View& view) {
      place_scene_overlaps(ex, view, regions, mask, offsets.data());
      store_scene_overlaps(ex, view, regions, mask, offsets.data(), overlaps);
    });
  }

  /// Lists: SceneOverlapLists or NestedOverlapLists.
  template <class Lists, class Region>
  Lists all(BufferSpan<const Region> regions) const {
    validate_span(context, "all_overlaps", "regions", regions);
    Lists lists{Buffer<u64>(context, regions.size() + 1), {}};
    ask("all_overlaps", [&](const auto& ex, const View& view) {
      place_scene_overlaps(ex, view, regions, mask, lists.offsets.data());
    });
    const u64 total = download(context, lists.offsets.span().subspan(regions.size(), 1))[0];
    lists.overlaps = Buffer<OverlapOf<View>>(context, total);
    ask("all_overlaps", [&](const auto& ex, const View& view) {
      store_scene_overlaps(ex, view, regions, mask, lists.offsets.data(), lists.overlaps.span());
    });
    return lists;
  }
};
template <class Structure>
SceneQueryCalls(Context&, const Structure&, u32) -> SceneQueryCalls<Structure>;

}  // namespace copse::detail
