#pragma once

#include "accel/accel.h"
#include "accel/accel_query_view.h"
#include "queries/overlap_queries.h"
#include "queries/self_overlap.h"

namespace copse {

// Batches of questions about points, regions and pairs to an Accel. Arguments and answers are those of the functions
// of the same names in queries/point_queries.h, overlap_queries.h and self_overlaps.h, which take a tree and its
// triangles. Answers are equal on all backends. All functions put work on the stream and return, unless they say
// "Waits", and may then be captured in a Graph. Masks of views have no effect.
//
// All functions throw Error invalid_argument if `accel` was never built, if sizes do not match or if buffers overlap;
// Error out_of_memory; Error cancelled.

/// Stores the point of the surface that is nearest to each point. None is farther than `max_distance`.
///   points:  any number, may be empty; NaN and infinite ones find nothing
///   nearest: as many as points; must not overlap them
/// Memory: scratch of about 20 bytes per point, from 2^14 points on.
COPSE_API void nearest_points(Context& context, const Accel& accel, BufferSpan<const vec3> points,
                              BufferSpan<NearestPoint> nearest, float max_distance = infinity);

/// Stores the k triangles nearest to each point, nearest first. None is farther than `max_distance`.
///   neighbours: k per point, those of point i from k * i on; k follows from the sizes. If there are fewer, the rest
///               are Neighbour::none(). Must not overlap the points
/// Memory: as nearest_points.
COPSE_API void nearest_primitives(Context& context, const Accel& accel, BufferSpan<const vec3> points,
                                  BufferSpan<Neighbour> neighbours, float max_distance = infinity);

/// Stores in inside[i] 1 if point i is inside the closed mesh, else 0.
///   inside: as many as points; must not overlap them
COPSE_API void points_inside(Context& context, const Accel& accel, BufferSpan<const vec3> points,
                             BufferSpan<u8> inside);

/// Stores in counts[i] how many triangles touch region i. Region: Aabb, Sphere or Frustum.
///   counts: as many as regions
template <class Region>
void count_overlaps(Context& context, const Accel& accel, BufferSpan<const Region> regions,
                    BufferSpan<u32> counts);

/// Stores the triangles that touch each region. Those of region i are primitives[offsets[i]] up to
/// primitives[offsets[i + 1]], in the order of the tree. Ids count through all views.
///   offsets:    one more than regions. The last offset is the total number
///   primitives: any size. Nothing is written past its end
/// Memory: scratch of 4 bytes per region, at most 20 bytes more per 1024 regions, and 1 KiB.
template <class Region>
void find_overlaps(Context& context, const Accel& accel, BufferSpan<const Region> regions, BufferSpan<u64> offsets,
                   BufferSpan<u32> primitives);

/// Returns the same lists in buffers of the right size.
/// Waits: for the number of results.
template <class Region>
OverlapLists all_overlaps(Context& context, const Accel& accel, BufferSpan<const Region> regions);

/// Stores the pairs of triangles that overlap each other, each pair once, and their number. With splits,
/// options.exact_triangles must be true, as the tree has no boxes of whole triangles.
///   pairs: any size. Nothing is written past its end. If `total` is larger, a buffer of `total` is needed for all
///   total: one element; must not overlap the pairs
/// Memory: scratch of 16 bytes per triangle, at most 20 bytes more per 1024 triangles, and 1 KiB.
COPSE_API void find_self_overlaps(Context& context, const Accel& accel, const SelfOverlapOptions& options,
                                  BufferSpan<PrimitivePair> pairs, BufferSpan<u64> total);

/// Returns the pairs in a buffer of the right size.
/// Waits: for the number of pairs.
/// Memory: 8 bytes per pair, and 8 bytes per triangle until it returns; scratch as find_self_overlaps.
COPSE_API Buffer<PrimitivePair> self_overlaps(Context& context, const Accel& accel,
                                              const SelfOverlapOptions& options = {});

}  // namespace copse
