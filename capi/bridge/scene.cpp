// Scenes of instances.

#include "capi/scene.h"

#include "capi/bridge/stats.h"
#include "capi/bridge/trace.h"
#include "scene/scene_hits.h"
#include "scene/scene_rays.h"

using namespace copse;
using namespace copse::capi;

static_assert(sizeof(copse_instance) == sizeof(Instance) && sizeof(copse_scene_hit) == sizeof(SceneHit));

namespace {

/// Throws: if an instance on the host names an accel that does not exist.
void check_accels(const copse_instance* instances, u64 count, copse_memory memory, u64 accel_count) {
  if (memory != COPSE_MEMORY_HOST) return;
  for (u64 i = 0; i < count; ++i) {
    if (instances[i].accel < accel_count) continue;
    refuse("instance " + std::to_string(i) + " is of accel " + std::to_string(instances[i].accel) +
           ", but the scene has " + std::to_string(accel_count) + " accels");
  }
}

}  // namespace

copse_status copse_scene_build(copse_context* context, const copse_accel* const* accels, uint64_t accel_count,
                               const copse_instance* instances, uint64_t instance_count,
                               copse_memory instances_memory, const copse_build_options* options,
                               copse_scene** scene) {
  if (scene != nullptr) *scene = nullptr;
  return run("copse_scene_build", context, [&](Context& c) {
    require(scene, "the handle of the scene");
    const copse_build_options defaults = COPSE_BUILD_OPTIONS_INIT;
    const copse_build_options given = read_struct("copse_build_options", options, defaults);
    if (accel_count > 0) require(accels, "the accels");
    auto made = std::make_unique<copse_scene>();
    std::vector<const Accel*> addresses;
    for (u64 i = 0; i < accel_count; ++i) {
      addresses.push_back(&object_of(context, accels[i], ("accel " + std::to_string(i)).c_str()));
      made->accels.push_back(accels[i]->owned);
    }
    const Input<Instance> all(c, "instances", instances, instance_count, instances_memory);
    check_accels(instances, instance_count, instances_memory, accel_count);
    made->owned =
        context->own(build(c, SceneAccels(std::span<const Accel* const>(addresses)), InstanceView::of(all.span()),
                           SceneOptions{.quality = quality_of(given), .capacity = given.capacity}));
    *scene = made.release();
  });
}

copse_status copse_scene_rebuild(copse_context* context, copse_scene* scene, const copse_instance* instances,
                                 uint64_t instance_count, copse_memory instances_memory) {
  return run("copse_scene_rebuild", context, [&](Context& c) {
    Scene& object = object_of(context, scene, "scene");
    const Input<Instance> all(c, "instances", instances, instance_count, instances_memory);
    check_accels(instances, instance_count, instances_memory, scene->accels.size());
    rebuild(c, object, InstanceView::of(all.span()));
  });
}

copse_status copse_scene_refit(copse_context* context, copse_scene* scene, const copse_instance* instances,
                               uint64_t instance_count, copse_memory instances_memory) {
  return run("copse_scene_refit", context, [&](Context& c) {
    Scene& object = object_of(context, scene, "scene");
    const Input<Instance> all(c, "instances", instances, instance_count, instances_memory);
    check_accels(instances, instance_count, instances_memory, scene->accels.size());
    refit(c, object, InstanceView::of(all.span()));
  });
}

void copse_scene_destroy(copse_scene* scene) {
  delete scene;
}

uint64_t copse_scene_instance_count(const copse_scene* scene) {
  return scene == nullptr ? 0 : scene->owned->object.instance_count();
}

uint64_t copse_scene_size_bytes(const copse_scene* scene) {
  return scene == nullptr ? 0 : scene->owned->object.size_bytes();
}

copse_status copse_scene_stats(copse_context* context, const copse_scene* scene, copse_stats* result) {
  return run("copse_scene_stats", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    require(result, "copse_stats");
    store_stats(stats(c, object.tree()), object.instance_count(), object.size_bytes(), result);
  });
}

copse_status copse_scene_closest_hits(copse_context* context, const copse_scene* scene, const copse_rays* rays,
                                      copse_scene_hit* hits, copse_memory hits_memory,
                                      const copse_trace_options* options) {
  return run("copse_scene_closest_hits", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    trace_batch<SceneHit, SceneTraceOptions>(
        c, rays, hits, hits_memory, options, "hits",
        [&](const auto& all, auto results, const SceneTraceOptions& of_batch) {
          closest_hits(c, object, all, results, of_batch);
        });
  });
}

copse_status copse_scene_any_hits(copse_context* context, const copse_scene* scene, const copse_rays* rays,
                                  uint8_t* occluded, copse_memory occluded_memory,
                                  const copse_trace_options* options) {
  return run("copse_scene_any_hits", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    trace_batch<u8, SceneTraceOptions>(c, rays, occluded, occluded_memory, options, "results",
                                       [&](const auto& all, auto results, const SceneTraceOptions& of_batch) {
                                         any_hits(c, object, all, results, of_batch);
                                       });
  });
}

copse_status copse_scene_first_hits(copse_context* context, const copse_scene* scene, const copse_rays* rays,
                                    uint32_t k, copse_scene_hit* hits, copse_memory hits_memory, uint32_t* counts,
                                    copse_memory counts_memory, const copse_trace_options* options) {
  return run("copse_scene_first_hits", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    store_first_hits<SceneHit, SceneTraceOptions>(c, object, rays, k, hits, hits_memory, counts, counts_memory,
                                                  options);
  });
}

copse_status copse_scene_find_hits(copse_context* context, const copse_scene* scene, const copse_rays* rays,
                                   uint64_t* offsets, copse_memory offsets_memory, copse_scene_hit* hits,
                                   uint64_t room, copse_memory hits_memory, const copse_trace_options* options) {
  return run("copse_scene_find_hits", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    store_all_hits<SceneHit, SceneTraceOptions>(c, object, rays, offsets, offsets_memory, hits, room, hits_memory,
                                                options);
  });
}
