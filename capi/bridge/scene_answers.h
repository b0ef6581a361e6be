#pragma once

// Batches of questions about points and regions to a scene, or to a scene of scenes.

#include <algorithm>

#include "capi/bridge/arrays.h"
#include "capi/bridge/regions.h"

namespace copse::capi {

/// Points of a caller in the memory of a context.
struct PointInput {
  const float* points;
  u64 count;
  copse_memory memory;

  Input<vec3> in(Context& context) const { return {context, "points", points, count, memory}; }
};

/// Regions of a caller.
struct RegionInput {
  copse_region shape;
  const float* regions;
  u64 count;
  copse_memory memory;
};

/// Stores the nearest point of each point. Nearest: SceneNearest or NestedNearest.
template <class Nearest, class Structure>
void store_nearest(Context& context, const Structure& scene, const PointInput& points, float max_distance,
                   u32 mask, void* nearest, copse_memory memory) {
  const Input<vec3> from = points.in(context);
  const Output<Nearest> found(context, "results", nearest, points.count, memory);
  nearest_points(context, scene, from.span(), found.span(), max_distance, mask);
  found.store(context);
}

/// Stores the k triangles nearest to each point. Neighbour: SceneNeighbour or NestedNeighbour.
template <class Neighbour, class Structure>
void store_k_nearest(Context& context, const Structure& scene, const PointInput& points, u32 k, float max_distance,
                     u32 mask, void* neighbours, copse_memory memory) {
  if (k == 0) refuse("k is 0; it can be 1 to 2147483648");
  check_product("neighbours", points.count, k);
  const Input<vec3> from = points.in(context);
  const Output<Neighbour> found(context, "neighbours", neighbours, points.count * k, memory);
  nearest_primitives(context, scene, from.span(), found.span(), max_distance, mask);
  found.store(context);
}

/// Stores which points are inside.
template <class Structure>
void store_inside(Context& context, const Structure& scene, const PointInput& points, u32 mask, u8* inside,
                  copse_memory memory) {
  const Input<vec3> from = points.in(context);
  const Output<u8> answers(context, "results", inside, points.count, memory);
  points_inside(context, scene, from.span(), answers.span(), mask);
  answers.store(context);
}

/// Stores how many triangles touch each region.
template <class Structure>
void store_overlap_counts(Context& context, const Structure& scene, const RegionInput& regions, u32 mask,
                          u32* counts, copse_memory memory) {
  with_region(regions.shape, [&]<class Region>(const Region&) {
    const Input<Region> all(context, "regions", regions.regions, regions.count, regions.memory);
    const Output<u32> found(context, "counts", counts, regions.count, memory);
    count_overlaps(context, scene, all.span(), found.span(), mask);
    found.store(context);
  });
}

/// Stores the triangles that touch each region. Overlap: SceneOverlap or NestedOverlap.
template <class Overlap, class Structure>
void store_overlaps(Context& context, const Structure& scene, const RegionInput& regions, u32 mask, u64* offsets,
                    copse_memory offsets_memory, void* overlaps, u64 room, copse_memory overlaps_memory) {
  with_region(regions.shape, [&]<class Region>(const Region&) {
    const Input<Region> all(context, "regions", regions.regions, regions.count, regions.memory);
    const Output<u64> ends(context, "offsets", offsets, regions.count + 1, offsets_memory);
    const Output<Overlap> found(context, "overlaps", overlaps, room, overlaps_memory);
    find_overlaps(context, scene, all.span(), ends.span(), found.span(), mask);
    ends.store(context);
    if (overlaps_memory == COPSE_MEMORY_HOST && room > 0) {
      found.store(context, std::min(room, ends.on_host(context, regions.count)));
    }
  });
}

}  // namespace copse::capi
