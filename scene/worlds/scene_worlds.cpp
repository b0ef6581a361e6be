// Build, rebuild and refit of SceneWorlds, and batches of rays through them.

#include "scene/scene_worlds.h"

#include <algorithm>
#include <string>

#include "builders/geometry/triangle_check.h"
#include "primitives/core/dispatch.h"
#include "primitives/core/validation.h"
#include "scene/build/instance_check.h"
#include "scene/build/scene_check.h"
#include "scene/worlds/worlds_batch.h"
#include "trace/batch/check.h"

namespace copse {

namespace detail {

// The bodies: place_instances.inl and worlds_rays.inl, for either executor.

template <class Executor>
void place_instances(const Executor& ex, const InstanceView& instances, BufferSpan<const AccelView> accels,
                     PlacedInstance* placed, Aabb* boxes);
/// Stores a result per ray: SceneHit for the closest hit, u8 for any.
template <class Executor, class Result>
void trace_worlds(const Executor& ex, const WorldsBatch& batch, BufferSpan<Result> results);
/// Copies the records and boxes of the worlds for which `moved` is not 0.
template <class Executor>
void take_moved_worlds(const Executor& ex, const ForestShape& shape, const u32* moved,
                       const PlacedInstance* placed, const Aabb* boxes, PlacedInstance* placed_out,
                       Aabb* boxes_out);

/// The members of SceneWorlds, for the calls that make or change them.
struct SceneWorldsAccess {
  static Forest& forest(SceneWorlds& worlds) { return worlds.forest_; }
  static BufferSpan<const AccelView> accels(const SceneWorlds& worlds) { return worlds.accels_.span(); }
  static PlacedInstance* instances(SceneWorlds& worlds) { return worlds.instances_.data(); }
  static Aabb* boxes(SceneWorlds& worlds) { return worlds.boxes_.data(); }

  static void make(Context& context, SceneWorlds& worlds, const std::vector<AccelView>& accels,
                   std::span<const u32> begins, const Scene* shared) {
    worlds.backend_ = context.backend();
    worlds.shared_ = shared;
    worlds.accels_ = Buffer<AccelView>(context, accels);
    worlds.has_masks_ =
        std::any_of(accels.begin(), accels.end(), [](const AccelView& v) { return v.masks != nullptr; });
    worlds.forest_ = make_forest(context, begins);
    worlds.instances_ = Buffer<PlacedInstance>(context, begins.back());
    worlds.boxes_ = Buffer<Aabb>(context, begins.back());
  }
};

}  // namespace detail

namespace {

using detail::Forest;
using detail::PlacedInstance;
using detail::SceneWorldsAccess;

/// One instance per leaf, as in a Scene.
constexpr u32 max_leaf_size = 1;

void check_worlds(const char* function, const Context& context, const SceneWorlds& worlds) {
  if (worlds.backend() == Backend::automatic) detail::refuse(function, "the worlds were never built");
  detail::check_backend(function, context, "the worlds were", worlds.backend());
}

void check_begins(std::span<const u32> begins, u64 instance_count) {
  const auto refuse = [](const std::string& what) { detail::refuse("build_worlds", what); };
  if (begins.empty()) refuse("there are no world_begins; one world has 2, {0, instances.size()}");
  if (begins[0] != 0) refuse("world_begins[0] is " + std::to_string(begins[0]) + "; it must be 0");
  for (u64 world = 0; world + 1 < begins.size(); ++world) {
    const u32 begin = begins[world], end = begins[world + 1];
    if (begin > end) {
      refuse("world_begins[" + std::to_string(world + 1) + "] is " + std::to_string(end) + ", below the " +
             std::to_string(begin) + " before it");
    }
    if (end - begin > detail::max_forest_tree) {
      refuse("world " + std::to_string(world) + " has " + std::to_string(end - begin) +
             " instances; it can have " + std::to_string(detail::max_forest_tree));
    }
  }
  if (begins.back() == instance_count) return;
  refuse("world_begins end at " + std::to_string(begins.back()) + ", but there are " +
         std::to_string(instance_count) + " instances");
}

void check_same_instances(const char* function, Context& context, const SceneWorlds& worlds,
                          const InstanceView& instances) {
  check_worlds(function, context, worlds);
  detail::check_instances(function, context, instances);
  if (instances.size() == worlds.instance_count()) return;
  detail::refuse(function, std::to_string(instances.size()) + " instances, but the worlds were built over " +
                               std::to_string(worlds.instance_count()));
}

void build_trees(Context& context, SceneWorlds& worlds, const InstanceView& instances) {
  Forest& forest = SceneWorldsAccess::forest(worlds);
  ProfileScope scope(context.profile(), "build worlds");
  dispatch(context, [&](const auto& ex) {
    const detail::ForestOptions options;
    context.reserve_scratch(detail::build_trees_scratch_bytes(ex, forest.shape(), options));
    Aabb* const boxes = SceneWorldsAccess::boxes(worlds);
    detail::place_instances(ex, instances, SceneWorldsAccess::accels(worlds), SceneWorldsAccess::instances(worlds),
                            boxes);
    detail::build_trees(ex, forest.shape(), options, boxes, max_leaf_size, forest.arrays());
  });
}

template <class Result>
void trace(const char* function, Context& context, const SceneWorlds& worlds, BufferSpan<const Ray> rays,
           BufferSpan<const u32> world_of_ray, BufferSpan<Result> results, const SceneTraceOptions& options) {
  check_worlds(function, context, worlds);
  detail::check_results(function, "rays", rays, results);
  detail::check_masks(function, "rays", options.masks, rays.size());
  detail::check_apart(function, "masks", options.masks, results);
  if (world_of_ray.size() != rays.size()) {
    detail::refuse(function, std::to_string(world_of_ray.size()) + " words of worlds, but there are " +
                                 std::to_string(rays.size()) + " rays");
  }
  detail::check_apart(function, "words of worlds", world_of_ray, results);
  if (u32(options.cull) > u32(Cull::front)) {
    detail::refuse(function, "options.cull is " + std::to_string(u32(options.cull)) + "; it can be 0 to 2");
  }
  detail::validate_floats(context, function, "rays", rays.data(), rays.size(), sizeof(Ray),
                          &ValidationCounts::nan_rays);
  detail::validate_span(context, function, "masks", options.masks);
  detail::validate_span(context, function, "results", results);
  detail::validate_span(context, function, "words of worlds", world_of_ray);
  const u32* masks = options.masks.empty() ? nullptr : options.masks.data();
  const detail::WorldsBatch batch{worlds.view(), rays.data(),  world_of_ray.data(),
                                  masks,         options.mask, options.cull};
  dispatch(context, [&](const auto& ex) { detail::trace_worlds(ex, batch, results); });
}

}  // namespace

SceneWorldsView SceneWorlds::view() const {
  SceneWorldsView view{};
  view.shape = forest_.shape();
  view.trees = forest_.trees();
  view.instances = instances_.data();
  view.accels = accels_.data();
  view.has_masks = has_masks_;
  view.has_shared = shared_ != nullptr;
  if (shared_ != nullptr) view.shared = shared_->view();
  return view;
}

SceneWorlds build_worlds(Context& context, const SceneAccels& accels, const InstanceView& instances,
                         std::span<const u32> world_begins, const Scene* shared) {
  detail::check_instances("build_worlds", context, instances);
  check_begins(world_begins, instances.size());
  if (shared != nullptr) detail::check_scene("build_worlds", context, *shared);
  SceneWorlds worlds;
  SceneWorldsAccess::make(context, worlds, detail::views_of("build_worlds", context, accels), world_begins,
                          shared);
  build_trees(context, worlds, instances);
  return worlds;
}

void rebuild(Context& context, SceneWorlds& worlds, const InstanceView& instances) {
  check_same_instances("rebuild", context, worlds, instances);
  build_trees(context, worlds, instances);
}

void refit(Context& context, SceneWorlds& worlds, const InstanceView& instances, BufferSpan<const u32> moved) {
  check_same_instances("refit", context, worlds, instances);
  if (!moved.empty() && moved.size() != worlds.world_count()) {
    detail::refuse("refit", std::to_string(moved.size()) + " words of moved worlds, but there are " +
                                std::to_string(worlds.world_count()) + " worlds");
  }
  detail::validate_span(context, "refit", "words of moved worlds", moved);
  Forest& forest = SceneWorldsAccess::forest(worlds);
  const u64 n = worlds.instance_count();
  const u32* const words = moved.empty() ? nullptr : moved.data();
  ProfileScope scope(context.profile(), "refit worlds");
  dispatch(context, [&](const auto& ex) {
    const u64 placing = ScratchArena::bytes_for<PlacedInstance>(n) + ScratchArena::bytes_for<Aabb>(n);
    context.reserve_scratch(placing + detail::refit_trees_scratch_bytes(ex, n));
    ScratchArena::Frame frame(ex.scratch);
    Aabb* const boxes = SceneWorldsAccess::boxes(worlds);
    PlacedInstance* const placed = SceneWorldsAccess::instances(worlds);
    if (words == nullptr) {
      detail::place_instances(ex, instances, SceneWorldsAccess::accels(worlds), placed, boxes);
    } else {
      auto* const all_placed = frame.allocate<PlacedInstance>(n);
      auto* const all_boxes = frame.allocate<Aabb>(n);
      detail::place_instances(ex, instances, SceneWorldsAccess::accels(worlds), all_placed, all_boxes);
      detail::take_moved_worlds(ex, forest.shape(), words, all_placed, all_boxes, placed, boxes);
    }
    detail::refit_trees(ex, forest.shape(), forest.arrays(), boxes, words);
  });
}

void closest_hits(Context& context, const SceneWorlds& worlds, BufferSpan<const Ray> rays,
                  BufferSpan<const u32> world_of_ray, BufferSpan<SceneHit> hits,
                  const SceneTraceOptions& options) {
  trace("closest_hits", context, worlds, rays, world_of_ray, hits, options);
}

void any_hits(Context& context, const SceneWorlds& worlds, BufferSpan<const Ray> rays,
              BufferSpan<const u32> world_of_ray, BufferSpan<u8> occluded, const SceneTraceOptions& options) {
  trace("any_hits", context, worlds, rays, world_of_ray, occluded, options);
}

}  // namespace copse
