// Questions about points and regions to scenes.

#include "capi/scene_queries.h"

#include "capi/bridge/scene_answers.h"
#include "scene/scene_queries.h"

using namespace copse;
using namespace copse::capi;

static_assert(sizeof(copse_scene_nearest) == sizeof(SceneNearest) &&
              sizeof(copse_scene_overlap) == sizeof(SceneOverlap) &&
              sizeof(copse_scene_neighbour) == sizeof(SceneNeighbour));

copse_status copse_scene_nearest_points(copse_context* context, const copse_scene* scene, const float* points,
                                        uint64_t point_count, copse_memory points_memory, float max_distance,
                                        uint32_t mask, copse_scene_nearest* nearest, copse_memory nearest_memory) {
  return run("copse_scene_nearest_points", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    store_nearest<SceneNearest>(c, object, {points, point_count, points_memory}, max_distance, mask, nearest,
                                nearest_memory);
  });
}

copse_status copse_scene_k_nearest(copse_context* context, const copse_scene* scene, const float* points,
                                   uint64_t point_count, copse_memory points_memory, uint32_t k,
                                   float max_distance, uint32_t mask, copse_scene_neighbour* neighbours,
                                   copse_memory neighbours_memory) {
  return run("copse_scene_k_nearest", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    store_k_nearest<SceneNeighbour>(c, object, {points, point_count, points_memory}, k, max_distance, mask,
                                    neighbours, neighbours_memory);
  });
}

copse_status copse_scene_points_inside(copse_context* context, const copse_scene* scene, const float* points,
                                       uint64_t point_count, copse_memory points_memory, uint32_t mask,
                                       uint8_t* inside, copse_memory inside_memory) {
  return run("copse_scene_points_inside", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    store_inside(c, object, {points, point_count, points_memory}, mask, inside, inside_memory);
  });
}

copse_status copse_scene_count_overlaps(copse_context* context, const copse_scene* scene, copse_region shape,
                                        const float* regions, uint64_t region_count, copse_memory regions_memory,
                                        uint32_t mask, uint32_t* counts, copse_memory counts_memory) {
  return run("copse_scene_count_overlaps", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    store_overlap_counts(c, object, {shape, regions, region_count, regions_memory}, mask, counts, counts_memory);
  });
}

copse_status copse_scene_find_overlaps(copse_context* context, const copse_scene* scene, copse_region shape,
                                       const float* regions, uint64_t region_count, copse_memory regions_memory,
                                       uint32_t mask, uint64_t* offsets, copse_memory offsets_memory,
                                       copse_scene_overlap* overlaps, uint64_t room,
                                       copse_memory overlaps_memory) {
  return run("copse_scene_find_overlaps", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    store_overlaps<SceneOverlap>(c, object, {shape, regions, region_count, regions_memory}, mask, offsets,
                                 offsets_memory, overlaps, room, overlaps_memory);
  });
}
