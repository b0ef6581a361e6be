// Scenes of scenes.

#include "capi/nested.h"

#include "capi/bridge/instances.h"
#include "capi/bridge/scene_answers.h"
#include "capi/bridge/stats.h"
#include "capi/bridge/trace.h"
#include "scene/nested_queries.h"
#include "scene/nested_rays.h"
#include "scene/nested_scene.h"

using namespace copse;
using namespace copse::capi;

static_assert(COPSE_MAX_LEVELS == max_instance_levels && sizeof(copse_nested_hit) == sizeof(NestedHit) &&
              sizeof(copse_nested_nearest) == sizeof(NestedNearest) &&
              sizeof(copse_nested_neighbour) == sizeof(NestedNeighbour) &&
              sizeof(copse_nested_overlap) == sizeof(NestedOverlap));

struct copse_nested {
  std::vector<std::shared_ptr<const void>> parts;  // owners of what it refers to
  std::shared_ptr<Owned<NestedScene>> owned;
};

namespace {

/// Parts of a caller, and what keeps their memory.
struct PartList {
  std::vector<ScenePart> parts;
  std::vector<std::shared_ptr<const void>> owners;

  PartList(const copse_context* context, const copse_part* given, u64 count) {
    if (count > 0) require(given, "the parts");
    for (u64 i = 0; i < count; ++i) add(context, given[i], "part " + std::to_string(i));
  }

 private:
  void add(const copse_context* context, const copse_part& part, const std::string& name) {
    const int set = (part.accel != nullptr) + (part.scene != nullptr) + (part.nested != nullptr);
    if (set != 1) refuse(name + " has " + std::to_string(set) + " members that are set; 1 is needed");
    if (part.accel != nullptr) {
      parts.emplace_back(object_of(context, part.accel, name.c_str()));
      owners.push_back(part.accel->owned);
    } else if (part.scene != nullptr) {
      parts.emplace_back(object_of(context, part.scene, name.c_str()));
      keep(*part.scene);
    } else {
      parts.emplace_back(object_of(context, part.nested, name.c_str()));
      keep(*part.nested);
    }
  }
  /// Keeps a scene and all that it refers to.
  template <class Handle>
  void keep(const Handle& scene) {
    owners.push_back(scene.owned);
    owners.insert(owners.end(), scene.parts.begin(), scene.parts.end());
  }
};

}  // namespace

copse_status copse_nested_build(copse_context* context, const copse_part* parts, uint64_t part_count,
                                const copse_instance* instances, uint64_t instance_count,
                                copse_memory instances_memory, const copse_build_options* build_options,
                                copse_nested** nested) {
  if (nested != nullptr) *nested = nullptr;
  return run("copse_nested_build", context, [&](Context& c) {
    require(nested, "the handle of the scene of scenes");
    const copse_build_options defaults = COPSE_BUILD_OPTIONS_INIT;
    const copse_build_options given = read_struct("copse_build_options", build_options, defaults);
    PartList list(context, parts, part_count);
    const InstanceInput all(c, instances, instance_count, instances_memory, part_count, "part", "parts");
    refuse_splits(given);
    const SceneOptions options{.quality = quality_of(given), .capacity = given.capacity};
    auto owned = context->own(build_nested(c, list.parts, all.view(), options));
    *nested = new copse_nested{std::move(list.owners), std::move(owned)};
  });
}

copse_status copse_nested_rebuild(copse_context* context, copse_nested* nested, const copse_instance* instances,
                                  uint64_t instance_count, copse_memory instances_memory) {
  return run("copse_nested_rebuild", context, [&](Context& c) {
    NestedScene& object = object_of(context, nested, "scene of scenes");
    const InstanceInput all(c, instances, instance_count, instances_memory, object.part_count(), "part", "parts");
    rebuild(c, object, all.view());
  });
}

copse_status copse_nested_refit(copse_context* context, copse_nested* nested, const copse_instance* instances,
                                uint64_t instance_count, copse_memory instances_memory) {
  return run("copse_nested_refit", context, [&](Context& c) {
    NestedScene& object = object_of(context, nested, "scene of scenes");
    const InstanceInput all(c, instances, instance_count, instances_memory, object.part_count(), "part", "parts");
    refit(c, object, all.view());
  });
}

void copse_nested_destroy(copse_nested* nested) {
  delete nested;
}

uint32_t copse_nested_level_count(const copse_nested* nested) {
  return nested == nullptr ? 0 : nested->owned->object.level_count();
}

uint64_t copse_nested_instance_count(const copse_nested* nested) {
  return nested == nullptr ? 0 : nested->owned->object.instance_count();
}

uint64_t copse_nested_size_bytes(const copse_nested* nested) {
  return nested == nullptr ? 0 : nested->owned->object.size_bytes();
}

copse_status copse_nested_closest_hits(copse_context* context, const copse_nested* nested, const copse_rays* rays,
                                       copse_nested_hit* hits, copse_memory hits_memory,
                                       const copse_trace_options* options) {
  return run("copse_nested_closest_hits", context, [&](Context& c) {
    const NestedScene& object = object_of(context, nested, "scene of scenes");
    trace_batch<NestedHit, SceneTraceOptions>(
        c, rays, hits, hits_memory, options, "hits",
        [&](const auto& all, auto results, const SceneTraceOptions& of_batch) {
          closest_hits(c, object, all, results, of_batch);
        });
  });
}

copse_status copse_nested_any_hits(copse_context* context, const copse_nested* nested, const copse_rays* rays,
                                   uint8_t* occluded, copse_memory occluded_memory,
                                   const copse_trace_options* options) {
  return run("copse_nested_any_hits", context, [&](Context& c) {
    const NestedScene& object = object_of(context, nested, "scene of scenes");
    trace_batch<u8, SceneTraceOptions>(c, rays, occluded, occluded_memory, options, "results",
                                       [&](const auto& all, auto results, const SceneTraceOptions& of_batch) {
                                         any_hits(c, object, all, results, of_batch);
                                       });
  });
}

copse_status copse_nested_first_hits(copse_context* context, const copse_nested* nested, const copse_rays* rays,
                                     uint32_t k, copse_nested_hit* hits, copse_memory hits_memory,
                                     uint32_t* counts, copse_memory counts_memory,
                                     const copse_trace_options* options) {
  return run("copse_nested_first_hits", context, [&](Context& c) {
    const NestedScene& object = object_of(context, nested, "scene of scenes");
    store_first_hits<NestedHit, SceneTraceOptions>(c, object, rays, k, hits, hits_memory, counts, counts_memory,
                                                   options);
  });
}

copse_status copse_nested_find_hits(copse_context* context, const copse_nested* nested, const copse_rays* rays,
                                    uint64_t* offsets, copse_memory offsets_memory, copse_nested_hit* hits,
                                    uint64_t room, copse_memory hits_memory, const copse_trace_options* options) {
  return run("copse_nested_find_hits", context, [&](Context& c) {
    const NestedScene& object = object_of(context, nested, "scene of scenes");
    store_all_hits<NestedHit, SceneTraceOptions>(c, object, rays, offsets, offsets_memory, hits, room, hits_memory,
                                                 options);
  });
}

copse_status copse_nested_nearest_points(copse_context* context, const copse_nested* nested, const float* points,
                                         uint64_t point_count, copse_memory points_memory, float max_distance,
                                         uint32_t mask, copse_nested_nearest* nearest,
                                         copse_memory nearest_memory) {
  return run("copse_nested_nearest_points", context, [&](Context& c) {
    const NestedScene& object = object_of(context, nested, "scene of scenes");
    store_nearest<NestedNearest>(c, object, {points, point_count, points_memory}, max_distance, mask, nearest,
                                 nearest_memory);
  });
}

copse_status copse_nested_k_nearest(copse_context* context, const copse_nested* nested, const float* points,
                                    uint64_t point_count, copse_memory points_memory, uint32_t k,
                                    float max_distance, uint32_t mask, copse_nested_neighbour* neighbours,
                                    copse_memory neighbours_memory) {
  return run("copse_nested_k_nearest", context, [&](Context& c) {
    const NestedScene& object = object_of(context, nested, "scene of scenes");
    store_k_nearest<NestedNeighbour>(c, object, {points, point_count, points_memory}, k, max_distance, mask,
                                     neighbours, neighbours_memory);
  });
}

copse_status copse_nested_points_inside(copse_context* context, const copse_nested* nested, const float* points,
                                        uint64_t point_count, copse_memory points_memory, uint32_t mask,
                                        uint8_t* inside, copse_memory inside_memory) {
  return run("copse_nested_points_inside", context, [&](Context& c) {
    const NestedScene& object = object_of(context, nested, "scene of scenes");
    store_inside(c, object, {points, point_count, points_memory}, mask, inside, inside_memory);
  });
}

copse_status copse_nested_count_overlaps(copse_context* context, const copse_nested* nested, copse_region shape,
                                         const float* regions, uint64_t region_count, copse_memory regions_memory,
                                         uint32_t mask, uint32_t* counts, copse_memory counts_memory) {
  return run("copse_nested_count_overlaps", context, [&](Context& c) {
    const NestedScene& object = object_of(context, nested, "scene of scenes");
    store_overlap_counts(c, object, {shape, regions, region_count, regions_memory}, mask, counts, counts_memory);
  });
}

copse_status copse_nested_find_overlaps(copse_context* context, const copse_nested* nested, copse_region shape,
                                        const float* regions, uint64_t region_count, copse_memory regions_memory,
                                        uint32_t mask, uint64_t* offsets, copse_memory offsets_memory,
                                        copse_nested_overlap* overlaps, uint64_t room,
                                        copse_memory overlaps_memory) {
  return run("copse_nested_find_overlaps", context, [&](Context& c) {
    const NestedScene& object = object_of(context, nested, "scene of scenes");
    store_overlaps<NestedOverlap>(c, object, {shape, regions, region_count, regions_memory}, mask, offsets,
                                  offsets_memory, overlaps, room, overlaps_memory);
  });
}
