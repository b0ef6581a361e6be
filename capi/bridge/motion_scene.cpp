// Scenes of instances that move.

#include "capi/motion_scene.h"

#include <cstddef>

#include "capi/bridge/instances.h"
#include "capi/bridge/stats.h"
#include "capi/bridge/timed.h"
#include "motion/motion_scene_rays.h"
#include "primitives/core/counted.h"

using namespace copse;
using namespace copse::capi;

static_assert(sizeof(copse_motion_transform) == sizeof(MotionTransform) &&
              offsetof(copse_motion_transform, rotation) == offsetof(MotionTransform, rotation));

struct copse_motion_scene {
  std::vector<std::shared_ptr<const void>> parts;  // owners of what it refers to
  u64 accel_count;                                 // of accels and motions
  std::shared_ptr<Owned<MotionScene>> owned;
};

namespace {

/// Motions of a caller, and what keeps their memory.
struct MotionList {
  std::vector<const MotionAccel*> addresses;
  std::vector<std::shared_ptr<const void>> owners;

  MotionList(const copse_context* context, const copse_motion* const* motions, u64 count) {
    if (count > 0) require(motions, "the motions");
    for (u64 i = 0; i < count; ++i) {
      addresses.push_back(&object_of(context, motions[i], ("motion " + std::to_string(i)).c_str()));
      owners.push_back(motions[i]->owned);
    }
  }
};

/// Words of a caller, one for each instance, in the memory of a context.
struct WordsOfInstances {
  Input<u32> words;

  WordsOfInstances(Context& context, const char* what, const uint32_t* given, const copse_motion_instances& of)
      : words(context, what, given, given == nullptr ? 0 : of.count, of.memory) {}

  WordSpan span() const { return words.span().empty() ? WordSpan{} : WordSpan{words.span().data(), sizeof(u32)}; }
};

/// Returns instances of a caller, checked.
copse_motion_instances read_motion_instances(const copse_motion_instances* given, u64 accel_count) {
  require(given, "copse_motion_instances");
  const copse_motion_instances defaults = COPSE_MOTION_INSTANCES_INIT;
  const copse_motion_instances all = read_struct("copse_motion_instances", given, defaults);
  if (all.key_count < 2 || all.key_count > max_motion_keys) {
    refuse("key_count is " + std::to_string(all.key_count) + "; it can be 2 to " +
           std::to_string(max_motion_keys));
  }
  check_product("transforms", all.count, all.key_count);
  if (all.memory != COPSE_MEMORY_HOST) return all;
  for (u64 i = 0; i < all.count; ++i) {
    const u32 accel = all.accels == nullptr ? 0 : all.accels[i];
    if (accel < accel_count) continue;
    refuse("instance " + std::to_string(i) + " is of accel " + std::to_string(accel) + ", but the scene has " +
           copse::detail::counted(accel_count, "accels") + " and motions");
  }
  return all;
}

/// Instances of a caller in the memory of a context. The copies live as long as this object.
class MotionInstanceInput {
 public:
  MotionInstanceInput(Context& context, const copse_motion_instances* given, u64 accel_count)
      : MotionInstanceInput(context, read_motion_instances(given, accel_count)) {}

  MotionInstanceView view() const {
    return {transforms_.span(), key_count_, accels_.span(), masks_.span(), ids_.span(), flags_.span()};
  }

 private:
  MotionInstanceInput(Context& context, const copse_motion_instances& all)
      : transforms_(context, "transforms", all.transforms, all.count * all.key_count, all.memory),
        accels_(context, "numbers of accels", all.accels, all),
        masks_(context, "masks", all.masks, all),
        ids_(context, "ids", all.ids, all),
        flags_(context, "flags", all.flags, all),
        key_count_(all.key_count) {}

  Input<MotionTransform> transforms_;
  WordsOfInstances accels_, masks_, ids_, flags_;
  u32 key_count_;
};

MotionSceneOptions motion_scene_options_of(const copse_motion_scene_options* given) {
  const copse_motion_scene_options defaults = COPSE_MOTION_SCENE_OPTIONS_INIT;
  const copse_motion_scene_options options = read_struct("copse_motion_scene_options", given, defaults);
  copse_build_options quality = COPSE_BUILD_OPTIONS_INIT;
  quality.quality = options.quality;
  return {.quality = quality_of(quality), .capacity = options.capacity, .tree_count = options.tree_count};
}

}  // namespace

copse_status copse_motion_transforms_of(const float* rows, uint64_t count, copse_motion_transform* transforms) {
  return run("copse_motion_transforms_of", [&] {
    check_array("rows", rows, count, 12 * sizeof(float), COPSE_MEMORY_HOST, sizeof(float));
    check_array("transforms", transforms, count, sizeof(MotionTransform), COPSE_MEMORY_HOST, sizeof(float));
    for (u64 i = 0; i < count; ++i) {
      glm::mat4x3 matrix;
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 4; ++column) matrix[column][row] = rows[12 * i + u64(4 * row + column)];
      }
      reinterpret_cast<MotionTransform&>(transforms[i]) = MotionTransform::of(matrix);
    }
  });
}

copse_status copse_motion_scene_build(copse_context* context, const copse_accel* const* accels,
                                      uint64_t accel_count, const copse_motion* const* motions,
                                      uint64_t motion_count, const copse_motion_instances* instances,
                                      const copse_motion_scene_options* options, copse_motion_scene** scene) {
  if (scene != nullptr) *scene = nullptr;
  return run("copse_motion_scene_build", context, [&](Context& c) {
    require(scene, "the handle of the scene");
    const MotionSceneOptions all = motion_scene_options_of(options);
    AccelList still(context, accels, accel_count);
    MotionList moving(context, motions, motion_count);
    const MotionInstanceInput placed(c, instances, accel_count + motion_count);
    const MotionSceneAccels parts(still.accels(), std::span<const MotionAccel* const>(moving.addresses));
    auto owned = context->own(build(c, parts, placed.view(), all));
    std::vector<std::shared_ptr<const void>> owners = std::move(still.owners);
    owners.insert(owners.end(), moving.owners.begin(), moving.owners.end());
    *scene = new copse_motion_scene{std::move(owners), accel_count + motion_count, std::move(owned)};
  });
}

copse_status copse_motion_scene_rebuild(copse_context* context, copse_motion_scene* scene,
                                        const copse_motion_instances* instances) {
  return run("copse_motion_scene_rebuild", context, [&](Context& c) {
    MotionScene& object = object_of(context, scene, "scene of moving instances");
    const MotionInstanceInput placed(c, instances, scene->accel_count);
    rebuild(c, object, placed.view());
  });
}

copse_status copse_motion_scene_refit(copse_context* context, copse_motion_scene* scene,
                                      const copse_motion_instances* instances) {
  return run("copse_motion_scene_refit", context, [&](Context& c) {
    MotionScene& object = object_of(context, scene, "scene of moving instances");
    const MotionInstanceInput placed(c, instances, scene->accel_count);
    refit(c, object, placed.view());
  });
}

void copse_motion_scene_destroy(copse_motion_scene* scene) {
  delete scene;
}

uint64_t copse_motion_scene_instance_count(const copse_motion_scene* scene) {
  return scene == nullptr ? 0 : scene->owned->object.instance_count();
}

uint32_t copse_motion_scene_key_count(const copse_motion_scene* scene) {
  return scene == nullptr ? 0 : scene->owned->object.key_count();
}

uint64_t copse_motion_scene_size_bytes(const copse_motion_scene* scene) {
  return scene == nullptr ? 0 : scene->owned->object.size_bytes();
}

copse_status copse_motion_scene_closest_hits(copse_context* context, const copse_motion_scene* scene,
                                             const copse_rays* rays, const float* times, copse_memory times_memory,
                                             float time, copse_scene_hit* hits, copse_memory hits_memory,
                                             const copse_trace_options* options) {
  return run("copse_motion_scene_closest_hits", context, [&](Context& c) {
    const MotionScene& object = object_of(context, scene, "scene of moving instances");
    trace_at_times<SceneHit>(c, rays, {times, times_memory, time}, hits, hits_memory, options, "hits",
                             [&](const auto& all, auto results, const MotionTraceOptions& of_batch) {
                               closest_hits(c, object, all, results, of_batch);
                             });
  });
}

copse_status copse_motion_scene_any_hits(copse_context* context, const copse_motion_scene* scene,
                                         const copse_rays* rays, const float* times, copse_memory times_memory,
                                         float time, uint8_t* occluded, copse_memory occluded_memory,
                                         const copse_trace_options* options) {
  return run("copse_motion_scene_any_hits", context, [&](Context& c) {
    const MotionScene& object = object_of(context, scene, "scene of moving instances");
    trace_at_times<u8>(c, rays, {times, times_memory, time}, occluded, occluded_memory, options, "results",
                       [&](const auto& all, auto results, const MotionTraceOptions& of_batch) {
                         any_hits(c, object, all, results, of_batch);
                       });
  });
}
