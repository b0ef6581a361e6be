#pragma once

#include <type_traits>

#include "builders/grid/hash_layout.h"
#include "primitives/core/buffer.h"
#include "queries/bvh_points.h"
#include "queries/kd_points.h"
#include "queries/near_points.h"

namespace copse {

// The points of a hash grid, a kd-tree or a point BVH around other points, for a batch of queries. For one query at a
// time, in kernels and on the host: queries/near_points.h, queries/kd_points.h and queries/bvh_points.h. A batch of
// 2^14 queries or more is processed in the order of the grid's buckets or the tree's cells, so that the order of the
// queries matters little. A query at the position of a point of the structure also finds that point.
//
// Results are equal on all backends bit for bit. All structures give the same numbers and the same nearest points;
// only the order in lists within a radius differs. All functions throw Error invalid_argument if sizes do not
// match, buffers overlap or the structure was never built; Error out_of_memory; Error cancelled.
//
// Memory: scratch of about 20 bytes per query, from 2^14 queries on; with a point BVH, about 50.

/// The views of structures of points.
template <class T>
concept PointStructure =
    std::is_same_v<T, HashGridView> || std::is_same_v<T, KdTreeView> || std::is_same_v<T, PointBvhView>;

/// Stores in counts[i] how many points are within `radius` of queries[i], as for_each_within defines
/// it. Puts work on the stream and returns; may be captured in a graph.
///   queries: any number, may be empty; NaN and infinite ones find nothing
///   counts:  as many as queries; must not overlap them
template <PointStructure Points>
void count_neighbours(Context& context, const Points& points, BufferSpan<const vec3> queries, float radius,
                      BufferSpan<u32> counts);

/// Stores the points within `radius` of each query. The ids of those around queries[i] are
/// neighbours[offsets[i]] up to neighbours[offsets[i + 1]], in the order of for_each_within. Puts work on the
/// stream and returns; may be captured in a graph.
///   queries:    any number, may be empty
///   offsets:    one more than queries. The last offset is the total number
///   neighbours: any size. Nothing is written past its end. If the total is larger, the results up to the end are
///               valid, and a buffer of the total is needed for all
/// Memory: 4 bytes of scratch more per query, at most 20 bytes per 1024 queries, and 1 KiB.
template <PointStructure Points>
void find_neighbours(Context& context, const Points& points, BufferSpan<const vec3> queries, float radius,
                     BufferSpan<u64> offsets, BufferSpan<u32> neighbours);

/// Lists of points in the layout of find_neighbours.
struct NeighbourLists {
  Buffer<u64> offsets;
  Buffer<u32> neighbours;
};

/// Returns the same lists in buffers of the right size.
/// Waits: for the number of results.
/// Memory: 8 bytes per query, 4 bytes per result; scratch as find_neighbours.
template <PointStructure Points>
NeighbourLists all_neighbours(Context& context, const Points& points, BufferSpan<const vec3> queries,
                              float radius);

/// Stores the k points nearest to each query, nearest first, as k_nearest_points does. None is farther
/// than `max_distance`. Puts work on the stream and returns; may be captured in a graph.
///   queries:    any number, may be empty
///   neighbours: k per query, those of query i from k * i on. If there are fewer, the rest are
///               PointNeighbour::none(). k follows from the sizes; up to 16 is fastest. Must not overlap `queries`
/// Throws: also Error invalid_argument if the number of neighbours is not a multiple of the number of queries.
template <PointStructure Points>
void nearest_neighbours(Context& context, const Points& points, BufferSpan<const vec3> queries,
                        BufferSpan<PointNeighbour> neighbours, float max_distance = infinity);

}  // namespace copse
