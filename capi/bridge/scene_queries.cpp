// Questions about points and regions to scenes.

#include "capi/scene_queries.h"

#include <algorithm>

#include "capi/bridge/arrays.h"
#include "capi/bridge/regions.h"
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
    const Input<vec3> from(c, "points", points, point_count, points_memory);
    const Output<SceneNearest> found(c, "results", nearest, point_count, nearest_memory);
    nearest_points(c, object, from.span(), found.span(), max_distance, mask);
    found.store(c);
  });
}

copse_status copse_scene_k_nearest(copse_context* context, const copse_scene* scene, const float* points,
                                   uint64_t point_count, copse_memory points_memory, uint32_t k,
                                   float max_distance, uint32_t mask, copse_scene_neighbour* neighbours,
                                   copse_memory neighbours_memory) {
  return run("copse_scene_k_nearest", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    if (k == 0) refuse("k is 0; it can be 1 to 2147483648");
    check_product("neighbours", point_count, k);
    const Input<vec3> from(c, "points", points, point_count, points_memory);
    const Output<SceneNeighbour> found(c, "neighbours", neighbours, point_count * k, neighbours_memory);
    nearest_primitives(c, object, from.span(), found.span(), max_distance, mask);
    found.store(c);
  });
}

copse_status copse_scene_points_inside(copse_context* context, const copse_scene* scene, const float* points,
                                       uint64_t point_count, copse_memory points_memory, uint32_t mask,
                                       uint8_t* inside, copse_memory inside_memory) {
  return run("copse_scene_points_inside", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    const Input<vec3> from(c, "points", points, point_count, points_memory);
    const Output<u8> answers(c, "results", inside, point_count, inside_memory);
    points_inside(c, object, from.span(), answers.span(), mask);
    answers.store(c);
  });
}

copse_status copse_scene_count_overlaps(copse_context* context, const copse_scene* scene, copse_region shape,
                                        const float* regions, uint64_t region_count, copse_memory regions_memory,
                                        uint32_t mask, uint32_t* counts, copse_memory counts_memory) {
  return run("copse_scene_count_overlaps", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    with_region(shape, [&]<class Region>(const Region&) {
      const Input<Region> all(c, "regions", regions, region_count, regions_memory);
      const Output<u32> found(c, "counts", counts, region_count, counts_memory);
      count_overlaps(c, object, all.span(), found.span(), mask);
      found.store(c);
    });
  });
}

copse_status copse_scene_find_overlaps(copse_context* context, const copse_scene* scene, copse_region shape,
                                       const float* regions, uint64_t region_count, copse_memory regions_memory,
                                       uint32_t mask, uint64_t* offsets, copse_memory offsets_memory,
                                       copse_scene_overlap* overlaps, uint64_t room,
                                       copse_memory overlaps_memory) {
  return run("copse_scene_find_overlaps", context, [&](Context& c) {
    const Scene& object = object_of(context, scene, "scene");
    with_region(shape, [&]<class Region>(const Region&) {
      const Input<Region> all(c, "regions", regions, region_count, regions_memory);
      const Output<u64> ends(c, "offsets", offsets, region_count + 1, offsets_memory);
      const Output<SceneOverlap> found(c, "overlaps", overlaps, room, overlaps_memory);
      find_overlaps(c, object, all.span(), ends.span(), found.span(), mask);
      ends.store(c);
      if (overlaps_memory == COPSE_MEMORY_HOST && room > 0) {
        found.store(c, std::min(room, ends.on_host(c, region_count)));
      }
    });
  });
}
