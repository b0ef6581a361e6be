#include "scene/nested_queries.h"

#include "scene/queries/scene_query_calls.h"

namespace copse {

using detail::SceneQueryCalls;

void nearest_points(Context& context, const NestedScene& scene, BufferSpan<const vec3> points,
                    BufferSpan<NestedNearest> nearest, float max_distance, u32 mask) {
  SceneQueryCalls{context, scene, mask}.nearest(points, nearest, max_distance);
}

void nearest_primitives(Context& context, const NestedScene& scene, BufferSpan<const vec3> points,
                        BufferSpan<NestedNeighbour> neighbours, float max_distance, u32 mask) {
  SceneQueryCalls{context, scene, mask}.neighbours(points, neighbours, max_distance);
}

void points_inside(Context& context, const NestedScene& scene, BufferSpan<const vec3> points,
                   BufferSpan<u8> inside, u32 mask) {
  SceneQueryCalls{context, scene, mask}.inside(points, inside);
}

template <class Region>
void count_overlaps(Context& context, const NestedScene& scene, BufferSpan<const Region> regions,
                    BufferSpan<u32> counts, u32 mask) {
  SceneQueryCalls{context, scene, mask}.count(regions, counts);
}

template <class Region>
void find_overlaps(Context& context, const NestedScene& scene, BufferSpan<const Region> regions,
                   BufferSpan<u64> offsets, BufferSpan<NestedOverlap> overlaps, u32 mask) {
  SceneQueryCalls{context, scene, mask}.find(regions, offsets, overlaps);
}

template <class Region>
NestedOverlapLists all_overlaps(Context& context, const NestedScene& scene, BufferSpan<const Region> regions,
                                u32 mask) {
  return SceneQueryCalls{context, scene, mask}.template all<NestedOverlapLists>(regions);
}

#define COPSE_NESTEDSCENE_OVERLAPS(Region)                                                                        \
  template COPSE_API void count_overlaps(Context&, const NestedScene&, BufferSpan<const Region>, BufferSpan<u32>, \
                                         u32);                                                                    \
  template COPSE_API void find_overlaps(Context&, const NestedScene&, BufferSpan<const Region>, BufferSpan<u64>,  \
                                        BufferSpan<NestedOverlap>, u32);                                          \
  template COPSE_API NestedOverlapLists all_overlaps(Context&, const NestedScene&, BufferSpan<const Region>, u32);
COPSE_NESTEDSCENE_OVERLAPS(Aabb)
COPSE_NESTEDSCENE_OVERLAPS(Sphere)
COPSE_NESTEDSCENE_OVERLAPS(Frustum)
#undef COPSE_NESTEDSCENE_OVERLAPS

}  // namespace copse
