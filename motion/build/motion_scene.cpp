// Build, rebuild and refit of MotionScene.

#include "motion/motion_scene.h"

#include <algorithm>
#include <string>

#include "builders/bvh/build.h"
#include "builders/bvh/refit.h"
#include "builders/geometry/primitive_set.h"
#include "motion/build/motion_check.h"
#include "motion/walk/moving_instance.h"
#include "primitives/core/counted.h"
#include "primitives/core/dispatch.h"
#include "scene/build/instance_check.h"
#include "scene/build/instance_tree.h"

namespace copse {

namespace detail {

// The body: place_motion.inl, for either executor.

/// Stores the records of instances, their transforms and boxes at keys, and their boxes in each tree.
template <class Executor>
void place_motion(const Executor& ex, const MotionInstanceView& instances, BufferSpan<const AccelView> accels,
                  BufferSpan<const MotionView> moving, const MotionPlaces& places);

/// The members of a MotionScene, for the calls that make or change one.
struct MotionSceneAccess {
  static Bvh& binary(MotionScene& scene) { return scene.binary_; }
  static std::vector<CompressedBvh4>& trees(MotionScene& scene) { return scene.trees_; }
  static u64& instance_count(MotionScene& scene) { return scene.instance_count_; }

  static void set_accels(Context& context, MotionScene& scene, const MotionSceneAccels& accels) {
    std::vector<AccelView> still = views_of("build", context, accels.still());
    std::vector<MotionView> moving;
    for (const MotionAccel* accel : accels.moving()) {
      check_motion("build", context, *accel);
      moving.push_back(accel->view());
    }
    scene.still_count_ = u32(still.size());
    scene.accel_count_ = accels.size();
    const auto has_masks = [](const auto& views) {
      return std::any_of(views.begin(), views.end(), [](const auto& view) { return view.masks != nullptr; });
    };
    scene.has_masks_ = has_masks(still) || has_masks(moving);
    scene.accels_ = Buffer<AccelView>(context, still);
    scene.moving_ = Buffer<MotionView>(context, moving);
  }

  static void make(Context& context, MotionScene& scene, const MotionSceneOptions& options, u64 capacity,
                   u32 key_count, u32 tree_count) {
    scene.options_ = options;
    scene.backend_ = context.backend();
    scene.key_count_ = key_count;
    scene.records_ = Buffer<MovingInstance>(context, capacity);
    scene.transforms_ = Buffer<MotionTransform>(context, capacity * key_count);
    scene.boxes_ = Buffer<MovingBox>(context, capacity * key_count);
    scene.swept_ = Buffer<Aabb>(context, capacity * tree_count);
    scene.binary_ = make_bvh(context, capacity);
    std::vector<CompressedBvh4View> views;
    for (u32 i = 0; i < tree_count; ++i) {
      scene.trees_.push_back(make_instance_tree(context, capacity));
      views.push_back(scene.trees_.back().view());
    }
    scene.tree_views_ = Buffer<CompressedBvh4View>(context, views);
  }

  /// Stores everything that depends on the instances, except the trees.
  static void place(Context& context, MotionScene& scene, const MotionInstanceView& instances) {
    scene.instance_count_ = instances.size();
    const MotionPlaces places{scene.records_.data(), scene.transforms_.data(), scene.boxes_.data(),
                              scene.swept_.data(),   scene.capacity(),         u32(scene.trees_.size())};
    dispatch(context, [&](const auto& ex) {
      place_motion(ex, instances, scene.accels_.span(), scene.moving_.span(), places);
    });
  }

  /// The boxes of the instances in a tree.
  static BoxView boxes_of(const MotionScene& scene, u64 tree) {
    return {scene.swept_.span().subspan(tree * scene.capacity(), scene.instance_count_)};
  }
};

}  // namespace detail

namespace {

using detail::MotionSceneAccess;

constexpr u32 max_tree_count = 256;

void check_counts(const char* function, u64 instance_count, u32 key_count, const MotionSceneOptions& options) {
  detail::check_quality(options.quality);
  if (key_count < 2 || key_count > max_motion_keys) {
    detail::refuse(function, std::to_string(key_count) + " keys were given; there can be 2 to " +
                                 std::to_string(max_motion_keys));
  }
  if (options.tree_count > max_tree_count) {
    detail::refuse(function, "options.tree_count is " + std::to_string(options.tree_count) + "; it can be 0 to " +
                                 std::to_string(max_tree_count));
  }
  detail::check_primitive_count(instance_count);
  detail::check_primitive_count(instance_count * key_count);
}

u32 tree_count_of(u32 key_count, const MotionSceneOptions& options) {
  return options.tree_count > 0 ? options.tree_count : std::min(key_count - 1, max_tree_count);
}

void check_instances(const char* function, Context& context, const MotionInstanceView& instances,
                     const MotionSceneOptions& options) {
  check_counts(function, 0, instances.key_count, options);
  if (instances.transforms.size() % instances.key_count != 0) {
    detail::refuse(function, detail::counted(instances.transforms.size(), "transforms") + " for " +
                                 detail::counted(instances.key_count, "keys") +
                                 "; their number must be a multiple of that of the keys");
  }
  check_counts(function, instances.size(), instances.key_count, options);
  detail::check_instances(function, context,
                          {.transforms = {reinterpret_cast<const float*>(instances.transforms.data()),
                                          instances.size(), sizeof(MotionTransform)},
                           .accels = instances.accels,
                           .masks = instances.masks,
                           .ids = instances.ids,
                           .flags = instances.flags});
}

/// Builds the trees one after the other, through the same binary tree.
void build_trees(Context& context, MotionScene& scene, const MotionInstanceView& instances) {
  MotionSceneAccess::place(context, scene, instances);
  std::vector<CompressedBvh4>& trees = MotionSceneAccess::trees(scene);
  for (u64 i = 0; i < trees.size(); ++i) {
    detail::build_instance_tree(context, MotionSceneAccess::boxes_of(scene, i), scene.options().quality,
                                MotionSceneAccess::binary(scene), trees[i]);
  }
}

void check_same_keys(const char* function, const MotionScene& scene, const MotionInstanceView& instances) {
  detail::check_same_count(function, "keys", instances.key_count, "keys of the scene", scene.key_count());
}

}  // namespace

u64 MotionScene::size_bytes() const {
  u64 bytes = accels_.size_bytes() + moving_.size_bytes() + records_.size_bytes() + transforms_.size_bytes() +
              boxes_.size_bytes() + swept_.size_bytes() + binary_.size_bytes() + tree_views_.size_bytes();
  for (const CompressedBvh4& tree : trees_) bytes += tree.size_bytes();
  return bytes;
}

MotionScene build(Context& context, const MotionSceneAccels& accels, const MotionInstanceView& instances,
                  const MotionSceneOptions& options) {
  check_instances("build", context, instances, options);
  const u64 capacity = std::max(options.capacity, instances.size());
  check_counts("build", capacity, instances.key_count, options);
  MotionScene scene;
  MotionSceneAccess::set_accels(context, scene, accels);
  MotionSceneAccess::make(context, scene, options, capacity, instances.key_count,
                          tree_count_of(instances.key_count, options));
  build_trees(context, scene, instances);
  return scene;
}

void rebuild(Context& context, MotionScene& scene, const MotionInstanceView& instances) {
  detail::check_motion("rebuild", context, scene);
  check_instances("rebuild", context, instances, scene.options());
  check_same_keys("rebuild", scene, instances);
  if (instances.size() > scene.capacity()) {
    detail::refuse("rebuild",
                   detail::counted(instances.size(), "instances") + ", but the scene has room for " +
                       std::to_string(scene.capacity()) +
                       "; build a new one, or give the first build a larger MotionSceneOptions::capacity");
  }
  build_trees(context, scene, instances);
}

void refit(Context& context, MotionScene& scene, const MotionInstanceView& instances) {
  detail::check_motion("refit", context, scene);
  check_instances("refit", context, instances, scene.options());
  check_same_keys("refit", scene, instances);
  if (instances.size() != scene.instance_count()) {
    detail::refuse("refit", detail::counted(instances.size(), "instances") + ", but the scene was built over " +
                                std::to_string(scene.instance_count()));
  }
  MotionSceneAccess::place(context, scene, instances);
  std::vector<CompressedBvh4>& trees = MotionSceneAccess::trees(scene);
  for (u64 i = 0; i < trees.size(); ++i) refit(context, trees[i], MotionSceneAccess::boxes_of(scene, i));
}

BuildSizes motion_scene_sizes(Context& context, u64 instance_count, u32 key_count, u64 accel_count,
                              u64 moving_count, const MotionSceneOptions& options) {
  check_counts("motion_scene_sizes", instance_count, key_count, options);
  const u64 trees = tree_count_of(key_count, options);
  const detail::InstanceTreeSizes tree = detail::instance_tree_sizes(context, instance_count, options.quality);
  BuildSizes sizes;
  sizes.result_bytes = tree.binary_bytes + trees * (tree.tree_bytes + sizeof(CompressedBvh4View)) +
                       accel_count * sizeof(AccelView) + moving_count * sizeof(MotionView) +
                       instance_count * (sizeof(detail::MovingInstance) + trees * sizeof(Aabb) +
                                         key_count * (sizeof(MotionTransform) + sizeof(detail::MovingBox)));
  sizes.scratch_bytes = tree.scratch_bytes;
  return sizes;
}

}  // namespace copse
