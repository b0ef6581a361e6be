// Scenes of instances.

#include "capi/scene.h"

#include "capi/bridge/instances.h"
#include "capi/bridge/stats.h"
#include "capi/bridge/trace.h"
#include "scene/scene_hits.h"
#include "scene/scene_rays.h"

using namespace copse;
using namespace copse::capi;

static_assert(sizeof(copse_scene_hit) == sizeof(SceneHit));

copse_status copse_scene_build(copse_context* context, const copse_accel* const* accels, uint64_t accel_count,
                               const copse_instance* instances, uint64_t instance_count,
                               copse_memory instances_memory, const copse_build_options* build_options,
                               copse_scene** scene) {
  if (scene != nullptr) *scene = nullptr;
  return run("copse_scene_build", context, [&](Context& c) {
    require(scene, "the handle of the scene");
    const copse_build_options defaults = COPSE_BUILD_OPTIONS_INIT;
    const copse_build_options given = read_struct("copse_build_options", build_options, defaults);
    AccelList list(context, accels, accel_count);
    const InstanceInput all(c, instances, instance_count, instances_memory, accel_count);
    refuse_splits(given);
    const SceneOptions options{.quality = quality_of(given), .capacity = given.capacity};
    auto owned = context->own(build(c, list.accels(), all.view(), options));
    *scene = new copse_scene{std::move(list.owners), accel_count, std::move(owned)};
  });
}

copse_status copse_scene_rebuild(copse_context* context, copse_scene* scene, const copse_instance* instances,
                                 uint64_t instance_count, copse_memory instances_memory) {
  return run("copse_scene_rebuild", context, [&](Context& c) {
    Scene& object = object_of(context, scene, "scene");
    const InstanceInput all(c, instances, instance_count, instances_memory, scene->accel_count);
    rebuild(c, object, all.view());
  });
}

copse_status copse_scene_refit(copse_context* context, copse_scene* scene, const copse_instance* instances,
                               uint64_t instance_count, copse_memory instances_memory) {
  return run("copse_scene_refit", context, [&](Context& c) {
    Scene& object = object_of(context, scene, "scene");
    const InstanceInput all(c, instances, instance_count, instances_memory, scene->accel_count);
    refit(c, object, all.view());
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
