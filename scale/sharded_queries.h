#pragma once

#include "accel/accel_queries.h"
#include "scale/sharded_accel.h"

namespace copse {

// Queries about points and regions to the triangles of all ranks. Each rank brings its own queries, any number, also
// none. They travel as rays do (scale/sharded_rays.h): a query visits the ranks whose boxes it may meet, and the
// answers return to the rank that brought it. The answers are those of one context with the triangles of all ranks in
// the order of ranks, bit for bit, for any number of ranks. The functions need the library's part
// copse::shard-queries.
//
// All calls are collective. They wait for the other ranks. All ranks throw the same error: Error invalid_argument if
// sizes do not match, if buffers overlap, if `accel` was never built, was built by another number of ranks or is in
// the memory of another backend; Error out_of_memory, Error cancelled. Masks of views have no effect.
//
// `primitive` of an answer is the number of the triangle in its view on the rank that brought it, and `geometry` is
// that of the view. Of triangles at the same distance, the one with the smallest id through all ranks wins.
//
// Memory: 150 bytes per query that is at this rank at a time, beside what the functions state. At first these are the
// queries that it brings.

/// Stores the point of the surface that is nearest to each point of this rank. None is farther than `max_distance`. A
/// point visits the rank with the nearest box first, and then those that may have a nearer triangle.
///   points:  any number; NaN and infinite ones find nothing
///   nearest: as many as points; must not overlap them
COPSE_API void nearest_points(Communicator& comm, Context& context, const ShardedAccel& accel,
                              BufferSpan<const vec3> points, BufferSpan<NearestPoint> nearest,
                              float max_distance = infinity);

/// Stores the k triangles nearest to each point of this rank, nearest first. None is farther than `max_distance`.
///   neighbours: k per point, those of point i from k * i on; k follows from the sizes. If there are fewer, the rest are
///               Neighbour::none(). Must not overlap the points. All ranks with points must ask for the same k
/// Memory: 16 k bytes per point of this rank, and 28 k per point that is at this rank at a time.
COPSE_API void nearest_primitives(Communicator& comm, Context& context, const ShardedAccel& accel,
                                  BufferSpan<const vec3> points, BufferSpan<Neighbour> neighbours,
                                  float max_distance = infinity);

/// Stores in inside[i] 1 if point i of this rank is inside the closed mesh of the triangles of all ranks, else 0. If
/// the mesh is not closed, the answer has no meaning, as for one context.
///   inside: as many as points; must not overlap them
COPSE_API void points_inside(Communicator& comm, Context& context, const ShardedAccel& accel,
                             BufferSpan<const vec3> points, BufferSpan<u8> inside);

/// Stores in counts[i] how many triangles touch region i of this rank. Region: Aabb, Sphere or Frustum.
///   counts: as many as regions; must not overlap them
template <class Region>
void count_overlaps(Communicator& comm, Context& context, const ShardedAccel& accel,
                    BufferSpan<const Region> regions, BufferSpan<u32> counts);

/// Returns the triangles that touch each region of this rank. Those of region i are primitives[offsets[i]] up to
/// primitives[offsets[i + 1]]. Ids count through the triangles of all ranks. They ascend in each list, since the
/// order of a tree would depend on the ranks.
/// Memory: 24 bytes per result, of which 16 until it returns.
template <class Region>
OverlapLists all_overlaps(Communicator& comm, Context& context, const ShardedAccel& accel,
                          BufferSpan<const Region> regions);

}  // namespace copse
