#pragma once

#include "builders/grid/hash_layout.h"
#include "primitives/core/buffer.h"
#include "queries/near_points.h"

namespace copse {

// The points of a hash grid around points, many at once. In kernels and on the host one by one:
// queries/near_points.h. Where 2^14 points or more are asked about, they are asked in the order of the grid's
// buckets, so that their own order matters little. Points of the grid that are asked about find themselves too.
//
// Results are equal on all backends bit for bit. All throw Error invalid_argument where sizes do not fit, buffers
// overlap or the grid was never built, Error out_of_memory, Error cancelled.
//
// Memory: scratch of about 20 bytes per query, from 2^14 queries on.

/// counts[i] is how many points of the grid are within `radius` of queries[i], as for_each_within says. Puts work on
/// the stream and returns; may be captured in a graph.
///   queries: any number, may be empty; NaN and infinite ones find nothing
///   counts: as many; must not overlap `queries`
void count_neighbours(Context& context, const HashGridView& grid, BufferSpan<const vec3> queries, float radius,
                      BufferSpan<u32> counts);

/// Stores the points of the grid within `radius` of each point: the ids of those around queries[i] at
/// neighbours[offsets[i]] up to neighbours[offsets[i + 1]], in the order of for_each_within. Puts work on the
/// stream and returns; may be captured in a graph.
///   queries:    any number, may be empty
///   offsets:    one more than queries. The last one is how many there are in all
///   neighbours: any size. Nothing is written past its end: where offsets says more, that many are needed, and
///               those below the end are there
/// Memory: scratch of 4 bytes per query more, at most 20 bytes for each 1024 of them and 1 KiB.
void find_neighbours(Context& context, const HashGridView& grid, BufferSpan<const vec3> queries, float radius,
                     BufferSpan<u64> offsets, BufferSpan<u32> neighbours);

/// Lists of points, as find_neighbours lays them out.
struct NeighbourLists {
  Buffer<u64> offsets;
  Buffer<u32> neighbours;
};

/// The same in buffers of the right size. Waits, for the number of results.
/// Memory: 8 bytes per query, 4 bytes per result; scratch as find_neighbours.
NeighbourLists all_neighbours(Context& context, const HashGridView& grid, BufferSpan<const vec3> queries,
                              float radius);

/// Stores the k points of the grid nearest to each point and no farther than `max_distance`, nearest first, as
/// k_nearest_points says. Puts work on the stream and returns; may be captured in a graph.
///   queries:    any number, may be empty
///   neighbours: k for each query, those of point i from k * i on; where there are fewer, the rest are
///               PointNeighbour::none(). k is what the sizes say; up to 16 it is fastest. Must not overlap `queries`
/// Throws: Error invalid_argument also where the neighbours are not a multiple of the queries.
void nearest_neighbours(Context& context, const HashGridView& grid, BufferSpan<const vec3> queries,
                        BufferSpan<PointNeighbour> neighbours, float max_distance = infinity);

}  // namespace copse
