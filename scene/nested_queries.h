#pragma once

#include "scene/nested_query_view.h"
#include "scene/nested_scene.h"

namespace copse {

// Batches of questions about points and regions to a NestedScene. The answers are those of scene/nested_query_view.h, for one
// question at a time. They are equal on all backends. All functions put work on the stream and return, unless they say
// "Waits", and may then be captured in a Graph.
//
//   mask: the queries see an instance if this shares a bit with Instance::mask, on each level
//
// All functions throw Error invalid_argument if `scene` was never built, if sizes do not match or if buffers overlap;
// Error out_of_memory; Error cancelled.

/// Stores the point of the surface of any instance that is nearest to each point. None is farther than `max_distance`.
///   points:  any number, may be empty; NaN and infinite ones find nothing
///   nearest: as many as points; must not overlap them
/// Memory: scratch of about 20 bytes per point, from 2^14 points on.
COPSE_API void nearest_points(Context& context, const NestedScene& scene, BufferSpan<const vec3> points,
                              BufferSpan<NestedNearest> nearest, float max_distance = infinity,
                              u32 mask = ~u32{0});

/// Stores the k triangles nearest to each point, nearest first. None is farther than `max_distance`.
///   neighbours: k per point, those of point i from k * i on; k follows from the sizes. If there are fewer, the rest are
///               NestedNeighbour::none(). Must not overlap the points
/// Memory: as nearest_points.
COPSE_API void nearest_primitives(Context& context, const NestedScene& scene, BufferSpan<const vec3> points,
                                  BufferSpan<NestedNeighbour> neighbours, float max_distance = infinity,
                                  u32 mask = ~u32{0});

/// Stores in inside[i] 1 if point i is inside any instance, else 0. All instances that may contain it must be closed
/// meshes.
///   inside: as many as points; must not overlap them
COPSE_API void points_inside(Context& context, const NestedScene& scene, BufferSpan<const vec3> points,
                             BufferSpan<u8> inside, u32 mask = ~u32{0});

/// Stores in counts[i] how many triangles of all instances touch region i. Region: Aabb, Sphere or Frustum.
///   counts: as many as regions; must not overlap them
template <class Region>
void count_overlaps(Context& context, const NestedScene& scene, BufferSpan<const Region> regions,
                    BufferSpan<u32> counts, u32 mask = ~u32{0});

/// Stores the triangles that touch each region. Those of region i are overlaps[offsets[i]] up to overlaps[offsets[i +
/// 1]], in the order of the trees.
///   offsets:  one more than regions. The last offset is the total number
///   overlaps: any size. Nothing is written past its end
/// Memory: scratch of 4 bytes per region, at most 20 bytes more per 1024 regions, and 1 KiB.
template <class Region>
void find_overlaps(Context& context, const NestedScene& scene, BufferSpan<const Region> regions,
                   BufferSpan<u64> offsets, BufferSpan<NestedOverlap> overlaps, u32 mask = ~u32{0});

/// Lists of triangles in the layout of find_overlaps.
struct NestedOverlapLists {
  Buffer<u64> offsets;
  Buffer<NestedOverlap> overlaps;
};

/// Returns the same lists in buffers of the right size.
/// Waits: for the number of results.
/// Memory: 8 bytes per region, 32 bytes per result; scratch as find_overlaps.
template <class Region>
NestedOverlapLists all_overlaps(Context& context, const NestedScene& scene, BufferSpan<const Region> regions,
                                u32 mask = ~u32{0});

}  // namespace copse
