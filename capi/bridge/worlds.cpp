// Batches of meshes, and worlds.

#include "capi/worlds.h"

#include "capi/bridge/instances.h"
#include "capi/bridge/stats.h"
#include "capi/bridge/trace.h"
#include "capi/bridge/triangles.h"
#include "primitives/core/counted.h"
#include "scene/scene_worlds.h"

using namespace copse;
using namespace copse::capi;

struct copse_batch {
  std::shared_ptr<Triangles> triangles;  // the batch reads them
  std::shared_ptr<Owned<AccelBatch>> owned;

  /// Returns owners of all that the batch needs.
  std::vector<std::shared_ptr<const void>> parts() const { return {triangles, owned}; }
};

struct copse_worlds {
  std::vector<std::shared_ptr<const void>> parts;  // owners of what it refers to
  u64 accel_count;
  std::shared_ptr<Owned<SceneWorlds>> owned;
};

namespace {

/// The rays of a caller, which must be records, and their worlds.
class WorldRays {
 public:
  WorldRays(Context& context, const copse_rays* rays, const u32* world_of_ray, copse_memory world_memory)
      : rays_(context, rays), worlds_(context, "numbers of worlds", world_of_ray, rays_.size(), world_memory) {
    if (!rays_.are_records())
      refuse("the rays are no records of copse_ray; copse_rays_of() makes copse_rays of them");
  }

  BufferSpan<const Ray> rays() const { return rays_.records(); }
  BufferSpan<const u32> worlds() const { return worlds_.span(); }

 private:
  Rays rays_;
  Input<u32> worlds_;
};

}  // namespace

copse_status copse_batch_build(copse_context* context, const copse_geometry* meshes, uint64_t mesh_count,
                               copse_batch** batch) {
  if (batch != nullptr) *batch = nullptr;
  return run("copse_batch_build", context, [&](Context& c) {
    require(batch, "the handle of the batch");
    auto triangles = std::make_shared<Triangles>(c, meshes, mesh_count);
    auto owned = context->own(build_batch(c, triangles->views()));
    *batch = new copse_batch{std::move(triangles), std::move(owned)};
  });
}

copse_status copse_batch_rebuild(copse_context* context, copse_batch* batch) {
  return run("copse_batch_rebuild", context, [&](Context& c) {
    AccelBatch& object = object_of(context, batch, "batch");
    batch->triangles->refresh();
    rebuild(c, object);
  });
}

copse_status copse_batch_refit(copse_context* context, copse_batch* batch, const uint32_t* moved,
                               copse_memory moved_memory) {
  return run("copse_batch_refit", context, [&](Context& c) {
    AccelBatch& object = object_of(context, batch, "batch");
    const Input<u32> words(c, "words", moved, moved == nullptr ? 0 : object.mesh_count(), moved_memory);
    batch->triangles->refresh();
    refit(c, object, words.span());
  });
}

void copse_batch_destroy(copse_batch* batch) {
  delete batch;
}

uint64_t copse_batch_mesh_count(const copse_batch* batch) {
  return batch == nullptr ? 0 : batch->owned->object.mesh_count();
}

uint64_t copse_batch_triangle_count(const copse_batch* batch) {
  return batch == nullptr ? 0 : batch->owned->object.triangle_count();
}

uint64_t copse_batch_size_bytes(const copse_batch* batch) {
  return batch == nullptr ? 0 : batch->owned->object.size_bytes();
}

copse_status copse_scene_build_of_batch(copse_context* context, const copse_batch* batch,
                                        const copse_instance* instances, uint64_t instance_count,
                                        copse_memory instances_memory, const copse_build_options* build_options,
                                        copse_scene** scene) {
  if (scene != nullptr) *scene = nullptr;
  return run("copse_scene_build_of_batch", context, [&](Context& c) {
    require(scene, "the handle of the scene");
    const AccelBatch& object = object_of(context, batch, "batch");
    const copse_build_options defaults = COPSE_BUILD_OPTIONS_INIT;
    const copse_build_options given = read_struct("copse_build_options", build_options, defaults);
    refuse_splits(given);
    const SceneOptions options{.quality = quality_of(given), .capacity = given.capacity};
    const InstanceInput all(c, instances, instance_count, instances_memory, object.mesh_count());
    auto owned = context->own(build(c, object, all.view(), options));
    *scene = new copse_scene{batch->parts(), object.mesh_count(), std::move(owned)};
  });
}

copse_status copse_worlds_build(copse_context* context, const copse_accel* const* accels, uint64_t accel_count,
                                const copse_batch* batch, const copse_instance* instances, uint64_t instance_count,
                                copse_memory instances_memory, const uint32_t* world_begins, uint64_t world_count,
                                const copse_scene* shared, copse_worlds** worlds) {
  if (worlds != nullptr) *worlds = nullptr;
  return run("copse_worlds_build", context, [&](Context& c) {
    require(worlds, "the handle of the worlds");
    require(world_begins, "the begins of the worlds");
    if (batch != nullptr && accel_count > 0) {
      refuse(copse::detail::counted(accel_count, "accels") + " and a batch were given; give one of both");
    }
    const AccelBatch* meshes = batch == nullptr ? nullptr : &object_of(context, batch, "batch");
    const Scene* seen_by_all = shared == nullptr ? nullptr : &object_of(context, shared, "shared scene");
    AccelList list(context, accels, accel_count);
    const SceneAccels all_accels = meshes == nullptr ? list.accels() : SceneAccels(*meshes);
    const InstanceInput all(c, instances, instance_count, instances_memory, all_accels.size());
    const std::span<const u32> begins(world_begins, world_count + 1);
    auto owned = context->own(build_worlds(c, all_accels, all.view(), begins, seen_by_all));
    std::vector<std::shared_ptr<const void>> parts = batch == nullptr ? std::move(list.owners) : batch->parts();
    if (shared != nullptr) {
      parts.insert(parts.end(), shared->parts.begin(), shared->parts.end());
      parts.push_back(shared->owned);
    }
    *worlds = new copse_worlds{std::move(parts), all_accels.size(), std::move(owned)};
  });
}

copse_status copse_worlds_rebuild(copse_context* context, copse_worlds* worlds, const copse_instance* instances,
                                  uint64_t instance_count, copse_memory instances_memory) {
  return run("copse_worlds_rebuild", context, [&](Context& c) {
    SceneWorlds& object = object_of(context, worlds, "set of worlds");
    const InstanceInput all(c, instances, instance_count, instances_memory, worlds->accel_count);
    rebuild(c, object, all.view());
  });
}

copse_status copse_worlds_refit(copse_context* context, copse_worlds* worlds, const copse_instance* instances,
                                uint64_t instance_count, copse_memory instances_memory, const uint32_t* moved,
                                copse_memory moved_memory) {
  return run("copse_worlds_refit", context, [&](Context& c) {
    SceneWorlds& object = object_of(context, worlds, "set of worlds");
    const InstanceInput all(c, instances, instance_count, instances_memory, worlds->accel_count);
    const Input<u32> words(c, "words", moved, moved == nullptr ? 0 : object.world_count(), moved_memory);
    refit(c, object, all.view(), words.span());
  });
}

void copse_worlds_destroy(copse_worlds* worlds) {
  delete worlds;
}

uint64_t copse_worlds_count(const copse_worlds* worlds) {
  return worlds == nullptr ? 0 : worlds->owned->object.world_count();
}

uint64_t copse_worlds_instance_count(const copse_worlds* worlds) {
  return worlds == nullptr ? 0 : worlds->owned->object.instance_count();
}

uint64_t copse_worlds_size_bytes(const copse_worlds* worlds) {
  return worlds == nullptr ? 0 : worlds->owned->object.size_bytes();
}

copse_status copse_worlds_closest_hits(copse_context* context, const copse_worlds* worlds, const copse_rays* rays,
                                       const uint32_t* world_of_ray, copse_memory world_of_ray_memory,
                                       copse_scene_hit* hits, copse_memory hits_memory,
                                       const copse_trace_options* options) {
  return run("copse_worlds_closest_hits", context, [&](Context& c) {
    const SceneWorlds& object = object_of(context, worlds, "set of worlds");
    const WorldRays all(c, rays, world_of_ray, world_of_ray_memory);
    const TraceChoices choices(c, read_trace_options(options), all.rays().size());
    const Output<SceneHit> output(c, "hits", hits, all.rays().size(), hits_memory);
    closest_hits(c, object, all.rays(), all.worlds(), output.span(), choices.options<SceneTraceOptions>());
    output.store(c);
  });
}

copse_status copse_worlds_any_hits(copse_context* context, const copse_worlds* worlds, const copse_rays* rays,
                                   const uint32_t* world_of_ray, copse_memory world_of_ray_memory,
                                   uint8_t* occluded, copse_memory occluded_memory,
                                   const copse_trace_options* options) {
  return run("copse_worlds_any_hits", context, [&](Context& c) {
    const SceneWorlds& object = object_of(context, worlds, "set of worlds");
    const WorldRays all(c, rays, world_of_ray, world_of_ray_memory);
    const TraceChoices choices(c, read_trace_options(options), all.rays().size());
    const Output<u8> output(c, "results", occluded, all.rays().size(), occluded_memory);
    any_hits(c, object, all.rays(), all.worlds(), output.span(), choices.options<SceneTraceOptions>());
    output.store(c);
  });
}
