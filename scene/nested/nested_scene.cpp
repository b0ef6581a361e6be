// Build, rebuild and refit of NestedScene. It contains a Scene; parts that are scenes are accels there, with their
// trees.

#include "scene/nested_scene.h"

#include <algorithm>
#include <string>

#include "accel/build/accel_check.h"
#include "primitives/core/counted.h"
#include "scene/build/scene_check.h"
#include "scene/build/scene_over.h"

namespace copse {

namespace detail {

/// The members of a NestedScene, for the calls that make or change one.
struct NestedAccess {
  static Scene& top(NestedScene& scene) { return scene.top_; }

  static NestedScene made_of(Scene&& top, Buffer<NestedSceneView>&& parts, u32 level_count) {
    NestedScene scene;
    scene.top_ = std::move(top);
    scene.parts_ = std::move(parts);
    scene.level_count_ = level_count;
    return scene;
  }
};

}  // namespace detail

namespace {

using detail::NestedAccess;

/// The views of the parts that a scene keeps.
struct KeptParts {
  std::vector<AccelView> accels;        // by number; of a scene, only its tree
  std::vector<NestedSceneView> scenes;  // by number; empty for an accel
  u32 max_levels = 0;

  void add_accel(const AccelView& accel) {
    accels.push_back(accel);
    scenes.push_back({});
  }
  void add_scene(const NestedSceneView& scene, u32 level_count) {
    accels.push_back({scene.top.tree, {}, nullptr});
    scenes.push_back(scene);
    max_levels = std::max(max_levels, level_count);
  }
};

KeptParts kept_parts(const Context& context, const std::vector<ScenePart>& parts) {
  KeptParts kept;
  for (const ScenePart& part : parts) {
    if (part.accel() != nullptr) {
      detail::check_accel("build_nested", context, *part.accel());
      kept.add_accel(part.accel()->view());
    } else if (part.scene() != nullptr) {
      detail::check_scene("build_nested", context, *part.scene());
      kept.add_scene({part.scene()->view(), nullptr}, 1);
    } else {
      detail::check_scene("build_nested", context, *part.nested());
      kept.add_scene(part.nested()->view(), part.nested()->level_count());
      if (part.nested()->level_count() < max_instance_levels) continue;
      throw Error(ErrorCode::capacity, "build_nested: part " + std::to_string(kept.accels.size() - 1) + " has " +
                                           detail::counted(part.nested()->level_count(), "levels") +
                                           " of instances, so that this scene would have one more; it can "
                                           "have " +
                                           std::to_string(max_instance_levels));
    }
  }
  return kept;
}

}  // namespace

NestedScene build_nested(Context& context, const std::vector<ScenePart>& parts, const InstanceView& instances,
                         const SceneOptions& options) {
  const KeptParts kept = kept_parts(context, parts);
  Scene top = detail::build_scene_over("build_nested", context, kept.accels, instances, options);
  return NestedAccess::made_of(std::move(top), Buffer<NestedSceneView>(context, kept.scenes), kept.max_levels + 1);
}

NestedScene build_nested(Context& context, const std::vector<ScenePart>& parts,
                         std::span<const Instance> instances, const SceneOptions& options) {
  detail::check_accel_numbers("build_nested", instances, parts.size(), "part", "parts");
  const Buffer<Instance> uploaded(context, instances);
  return build_nested(context, parts, InstanceView::of(uploaded.span()), options);
}

void rebuild(Context& context, NestedScene& scene, const InstanceView& instances) {
  detail::check_scene("rebuild", context, scene);
  rebuild(context, NestedAccess::top(scene), instances);
}

void refit(Context& context, NestedScene& scene, const InstanceView& instances) {
  detail::check_scene("refit", context, scene);
  refit(context, NestedAccess::top(scene), instances);
}

BuildSizes nested_sizes(Context& context, u64 instance_count, u64 part_count, const SceneOptions& options) {
  BuildSizes sizes = build_sizes(context, instance_count, part_count, options);
  sizes.result_bytes += part_count * sizeof(NestedSceneView);
  return sizes;
}

}  // namespace copse
