// Build, rebuild and refit of Scene.

#include "scene/scene.h"

#include <algorithm>
#include <string>

#include "builders/bvh/build.h"
#include "builders/bvh/refit.h"
#include "primitives/core/counted.h"
#include "primitives/core/dispatch.h"
#include "scene/build/instance_check.h"
#include "scene/build/instance_tree.h"
#include "scene/build/scene_check.h"
#include "scene/build/scene_over.h"

namespace copse {

namespace detail {

// The bodies: place_instances.inl and open_instances.inl, for either executor.

/// Stores the record and the box of each instance. The box is empty if no ray can hit the instance.
template <class Executor>
void place_instances(const Executor& ex, const InstanceView& instances, BufferSpan<const AccelView> accels,
                     PlacedInstance* placed, Aabb* boxes);

/// Opens the instances into references until the records are used up. Stores a box per record.
template <class Executor>
void open_instances(const Executor& ex, const InstanceView& instances, BufferSpan<const AccelView> accels,
                    PlacedInstance* records, Aabb* boxes, u64 record_count);

/// Computes the records and boxes of the same references again, and the boxes of the instances.
template <class Executor>
void move_references(const Executor& ex, const InstanceView& instances, BufferSpan<const AccelView> accels,
                     PlacedInstance* records, Aabb* boxes, u64 record_count, Aabb* instance_boxes);

template <class Executor>
u64 opening_scratch_bytes(const Executor& ex, u64 n);

/// The members of a Scene, for the calls that make or change one.
struct SceneAccess {
  static Buffer<AccelView>& accels(Scene& scene) { return scene.accels_; }
  static Buffer<PlacedInstance>& records(Scene& scene) { return scene.records_; }
  static Buffer<Aabb>& boxes(Scene& scene) { return scene.boxes_; }
  static Buffer<Aabb>& reference_boxes(Scene& scene) { return scene.reference_boxes_; }
  static u64& instance_count(Scene& scene) { return scene.instance_count_; }
  static Bvh& binary(Scene& scene) { return scene.binary_; }
  static CompressedBvh4& tree(Scene& scene) { return scene.tree_; }

  static void set_accels(Context& context, Scene& scene, const std::vector<AccelView>& views) {
    scene.accels_ = Buffer<AccelView>(context, views);
    if (!views.empty()) scene.first_accel_ = views.front();
    scene.has_masks_ =
        std::any_of(views.begin(), views.end(), [](const AccelView& v) { return v.masks != nullptr; });
  }

  static void make(Context& context, Scene& scene, const SceneOptions& options, u64 capacity, u64 references) {
    scene.options_ = options;
    scene.backend_ = context.backend();
    scene.records_ = Buffer<PlacedInstance>(context, references);
    scene.boxes_ = Buffer<Aabb>(context, capacity);
    if (options.opening > 1) scene.reference_boxes_ = Buffer<Aabb>(context, references);
    scene.binary_ = make_bvh(context, references);
    scene.tree_ = make_instance_tree(context, references);
  }
};

}  // namespace detail

namespace {

using detail::SceneAccess;

/// The maximum number of references for this many instances.
u64 reference_count(u64 instance_count, const SceneOptions& options) {
  return instance_count + u64((double(options.opening) - 1) * double(instance_count));
}

void check_options(const char* function, const SceneOptions& options) {
  detail::check_quality(options.quality);
  if (options.opening >= 1 && options.opening <= 64) return;
  detail::refuse(function, "options.opening is " + std::to_string(options.opening) +
                               " references per instance; it can be 1 to 64");
}

void place(Context& context, Scene& scene, const InstanceView& instances) {
  dispatch(context, [&](const auto& ex) {
    detail::place_instances(ex, instances, SceneAccess::accels(scene).span(), SceneAccess::records(scene).data(),
                            SceneAccess::boxes(scene).data());
  });
}

/// The boxes of the tree's leaves.
BoxView leaf_boxes(Scene& scene, u64 instance_count) {
  const Buffer<Aabb>& boxes =
      scene.options().opening > 1 ? SceneAccess::reference_boxes(scene) : SceneAccess::boxes(scene);
  return {boxes.span().first(reference_count(instance_count, scene.options()))};
}

void build_tree(Context& context, Scene& scene, const InstanceView& instances) {
  const BoxView boxes = leaf_boxes(scene, instances.size());
  SceneAccess::instance_count(scene) = instances.size();
  place(context, scene, instances);
  if (scene.options().opening > 1) {
    dispatch(context, [&](const auto& ex) {
      detail::open_instances(ex, instances, SceneAccess::accels(scene).span(), SceneAccess::records(scene).data(),
                             SceneAccess::reference_boxes(scene).data(), boxes.boxes.size());
    });
  }
  detail::build_instance_tree(context, boxes, scene.options().quality, SceneAccess::binary(scene),
                              SceneAccess::tree(scene));
}

}  // namespace

namespace detail {

Scene build_scene_over(const char* function, Context& context, const std::vector<AccelView>& accels,
                       const InstanceView& instances, const SceneOptions& options) {
  check_options(function, options);
  check_instances(function, context, instances);
  Scene scene;
  const u64 capacity = std::max(options.capacity, instances.size()),
            references = reference_count(capacity, options);
  check_primitive_count(references);
  SceneAccess::make(context, scene, options, capacity, references);
  SceneAccess::set_accels(context, scene, accels);
  build_tree(context, scene, instances);
  return scene;
}

void check_accel_numbers(const char* function, std::span<const Instance> instances, u64 accel_count,
                         const char* accel, const char* accels) {
  for (u64 i = 0; i < instances.size(); ++i) {
    if (instances[i].accel < accel_count) continue;
    refuse(function, "instance " + std::to_string(i) + " is of " + accel + " " +
                         std::to_string(instances[i].accel) + ", but the scene has " +
                         std::to_string(accel_count) + " " + accels);
  }
}

}  // namespace detail

Scene build(Context& context, const SceneAccels& accels, const InstanceView& instances,
            const SceneOptions& options) {
  return detail::build_scene_over("build", context, detail::views_of("build", context, accels), instances,
                                  options);
}

Scene build(Context& context, const SceneAccels& accels, std::span<const Instance> instances,
            const SceneOptions& options) {
  detail::check_accel_numbers("build", instances, accels.size(), "accel", "accels");
  const Buffer<Instance> uploaded(context, instances);
  return build(context, accels, InstanceView::of(uploaded.span()), options);
}

void rebuild(Context& context, Scene& scene, const InstanceView& instances) {
  detail::check_scene("rebuild", context, scene);
  detail::check_instances("rebuild", context, instances);
  if (instances.size() > scene.capacity()) {
    detail::refuse("rebuild", detail::counted(instances.size(), "instances") + ", but the scene has room for " +
                                  std::to_string(scene.capacity()) +
                                  "; build a new one, or give the first build a larger SceneOptions::capacity");
  }
  build_tree(context, scene, instances);
}

void refit(Context& context, Scene& scene, const InstanceView& instances) {
  detail::check_scene("refit", context, scene);
  detail::check_instances("refit", context, instances);
  if (instances.size() != scene.instance_count()) {
    detail::refuse("refit", detail::counted(instances.size(), "instances") + ", but the scene was built over " +
                                std::to_string(scene.instance_count()));
  }
  const BoxView boxes = leaf_boxes(scene, instances.size());
  if (scene.options().opening > 1) {
    dispatch(context, [&](const auto& ex) {
      detail::move_references(ex, instances, SceneAccess::accels(scene).span(), SceneAccess::records(scene).data(),
                              SceneAccess::reference_boxes(scene).data(), boxes.boxes.size(),
                              SceneAccess::boxes(scene).data());
    });
  } else {
    place(context, scene, instances);
  }
  refit(context, SceneAccess::tree(scene), boxes);
}

BuildSizes build_sizes(Context& context, u64 instance_count, u64 accel_count, const SceneOptions& options) {
  check_options("build_sizes", options);
  const u64 references = reference_count(instance_count, options);
  const detail::InstanceTreeSizes tree = detail::instance_tree_sizes(context, references, options.quality);
  BuildSizes sizes;
  sizes.result_bytes = tree.binary_bytes + tree.tree_bytes + references * sizeof(detail::PlacedInstance) +
                       instance_count * sizeof(Aabb) + accel_count * sizeof(AccelView);
  sizes.scratch_bytes = tree.scratch_bytes;
  if (options.opening > 1) {
    sizes.result_bytes += references * sizeof(Aabb);
    const u64 opening =
        dispatch(context, [&](const auto& ex) { return detail::opening_scratch_bytes(ex, instance_count); });
    sizes.scratch_bytes = std::max(sizes.scratch_bytes, opening);
  }
  return sizes;
}

}  // namespace copse
