// Questions about points, regions and pairs.

#include "capi/queries.h"

#include <algorithm>

#include "accel/accel_queries.h"
#include "capi/bridge/arrays.h"
#include "capi/bridge/regions.h"

using namespace copse;
using namespace copse::capi;

static_assert(sizeof(copse_nearest) == sizeof(NearestPoint) && sizeof(copse_neighbour) == sizeof(Neighbour));
static_assert(sizeof(copse_pair) == sizeof(PrimitivePair) && sizeof(Frustum) == 24 * sizeof(float));

copse_status copse_nearest_points(copse_context* context, const copse_accel* accel, const float* points,
                                  uint64_t point_count, copse_memory points_memory, float max_distance,
                                  copse_nearest* nearest, copse_memory nearest_memory) {
  return run("copse_nearest_points", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    const Input<vec3> from(c, "points", points, point_count, points_memory);
    const Output<NearestPoint> found(c, "results", nearest, point_count, nearest_memory);
    nearest_points(c, object, from.span(), found.span(), max_distance);
    found.store(c);
  });
}

copse_status copse_k_nearest(copse_context* context, const copse_accel* accel, const float* points,
                             uint64_t point_count, copse_memory points_memory, uint32_t k, float max_distance,
                             copse_neighbour* neighbours, copse_memory neighbours_memory) {
  return run("copse_k_nearest", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    if (k == 0) refuse("k is 0; it can be 1 to 2147483648");
    check_product("neighbours", point_count, k);
    const Input<vec3> from(c, "points", points, point_count, points_memory);
    const Output<Neighbour> found(c, "neighbours", neighbours, point_count * k, neighbours_memory);
    nearest_primitives(c, object, from.span(), found.span(), max_distance);
    found.store(c);
  });
}

copse_status copse_points_inside(copse_context* context, const copse_accel* accel, const float* points,
                                 uint64_t point_count, copse_memory points_memory, uint8_t* inside,
                                 copse_memory inside_memory) {
  return run("copse_points_inside", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    const Input<vec3> from(c, "points", points, point_count, points_memory);
    const Output<u8> answers(c, "results", inside, point_count, inside_memory);
    points_inside(c, object, from.span(), answers.span());
    answers.store(c);
  });
}

copse_status copse_count_overlaps(copse_context* context, const copse_accel* accel, copse_region shape,
                                  const float* regions, uint64_t region_count, copse_memory regions_memory,
                                  uint32_t* counts, copse_memory counts_memory) {
  return run("copse_count_overlaps", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    with_region(shape, [&]<class Region>(const Region&) {
      const Input<Region> all(c, "regions", regions, region_count, regions_memory);
      const Output<u32> found(c, "counts", counts, region_count, counts_memory);
      count_overlaps(c, object, all.span(), found.span());
      found.store(c);
    });
  });
}

copse_status copse_find_overlaps(copse_context* context, const copse_accel* accel, copse_region shape,
                                 const float* regions, uint64_t region_count, copse_memory regions_memory,
                                 uint64_t* offsets, copse_memory offsets_memory, uint32_t* primitives,
                                 uint64_t room, copse_memory primitives_memory) {
  return run("copse_find_overlaps", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    with_region(shape, [&]<class Region>(const Region&) {
      const Input<Region> all(c, "regions", regions, region_count, regions_memory);
      const Output<u64> ends(c, "offsets", offsets, region_count + 1, offsets_memory);
      const Output<u32> found(c, "primitives", primitives, room, primitives_memory);
      find_overlaps(c, object, all.span(), ends.span(), found.span());
      ends.store(c);
      if (primitives_memory == COPSE_MEMORY_HOST && room > 0) {
        found.store(c, std::min(room, ends.on_host(c, region_count)));
      }
    });
  });
}

copse_status copse_self_overlaps(copse_context* context, const copse_accel* accel,
                                 const copse_self_overlap_options* options, copse_pair* pairs, uint64_t room,
                                 copse_memory pairs_memory, uint64_t* total, copse_memory total_memory) {
  return run("copse_self_overlaps", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    const copse_self_overlap_options defaults = COPSE_SELF_OVERLAP_OPTIONS_INIT;
    const auto given = read_struct("copse_self_overlap_options", options, defaults);
    const Output<PrimitivePair> found(c, "pairs", pairs, room, pairs_memory);
    const Output<u64> count(c, "numbers for the total", total, 1, total_memory);
    const SelfOverlapOptions all{.exact_triangles = given.exact_triangles != 0,
                                 .with_adjacent = given.with_adjacent != 0};
    find_self_overlaps(c, object, all, found.span(), count.span());
    count.store(c);
    if (pairs_memory == COPSE_MEMORY_HOST && room > 0) found.store(c, std::min(room, count.on_host(c, 0)));
  });
}
