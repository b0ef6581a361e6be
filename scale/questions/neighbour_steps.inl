// The steps of a wave of points that look for their k nearest triangles. neighbour_question.cpp calls them.

#include "builders/bvh/wide_node.h"
#include "builders/geometry/packed_triangle.h"
#include "primitives/persistent.h"
#include "primitives/scan.h"
#include "queries/nearest/query_batch.h"
#include "queries/wide_query_walk.h"
#include "scale/questions/forwarded_point.h"
#include "scale/questions/list_steps.h"

namespace copse::detail {

namespace {

using TrianglesOfRank = BufferSpan<const PackedTriangle>;

/// Finds the k nearest triangles of this rank. If there are k of them, their farthest one limits the search on other
/// ranks.
struct FindNeighboursHere {
  CompressedBvh4View tree;
  TrianglesOfRank triangles;
  PointVisit visit;
  u32 k;
  Neighbour* found;  // k per point
  u32* counts;

  COPSE_HD void operator()(u64 i) const {
    ForwardedPoint& at = visit.live[i];
    Neighbour* const own = found + i * k;
    NearTriangles near{triangles_of(triangles), at.point, NeighbourHeap<Neighbour>(own, k), false};
    if (k > 0) walk_nearest_first(tree, SquareDistance{at.point}, at.limit, near);
    near.heap.sort();
    counts[i] = near.heap.size();
    if (k > 0 && near.heap.is_full()) at.limit = own[k - 1].distance;
    visit.note(i, counts[i] > 0);
  }
};

struct PackNeighbours {
  TrianglesOfRank triangles;
  const Neighbour* found;
  u32 k;
  const u32* ids;
  const u64* offsets;
  FoundNeighbour* items;

  COPSE_HD void operator()(u64 i) const {
    const auto source = triangles_of(triangles);
    const Neighbour* const own = found + u64{ids[i]} * k;
    for (u64 at = offsets[i]; at < offsets[i + 1]; ++at) {
      const Neighbour& each = own[at - offsets[i]];  // `geometry` holds the place of the triangle
      items[at] = {each.distance, each.primitive, source.local_id(each.geometry), source.geometry(each.geometry)};
    }
  }
};

struct ClearCount {
  u32* counts;
  COPSE_HD void operator()(u64 i) const { counts[i] = 0; }
};

/// Inserts the results of a rank into the list of their point, if they are among the k nearest. A point is at one
/// rank at a time, so no two replies of a wave are for the same point.
struct KeepNeighbours {
  const ListHead* heads;
  const u64* offsets;
  const FoundNeighbour* items;
  u32 k;
  FoundNeighbour* best;  // k per point: a heap
  u32* counts;

  COPSE_HD void operator()(u64 i) const {
    const ListHead head = heads[i];
    FoundNeighbour* const own = best + u64{head.index} * k;
    NeighbourHeap<FoundNeighbour> heap(own, k, counts[head.index]);
    for (u64 at = offsets[i]; at < offsets[i + 1]; ++at) heap.add(items[at]);
    counts[head.index] = heap.size();
  }
};

struct StoreNeighbours {
  FoundNeighbour* best;
  const u32* counts;
  u32 k;
  Neighbour* neighbours;

  COPSE_HD void operator()(u64 i) const {
    FoundNeighbour* const own = best + i * k;
    NeighbourHeap<FoundNeighbour> heap(own, k, counts[i]);
    heap.sort();
    for (u32 j = 0; j < k; ++j) {
      neighbours[i * k + j] = j < heap.size()
                                  ? Neighbour{sqrt_rn(own[j].distance), own[j].local_id, own[j].geometry}
                                  : Neighbour::none();
    }
  }
};

}  // namespace

template <class Executor>
void find_neighbours_here(const Executor& ex, const CompressedBvh4View& tree,
                          BufferSpan<const PackedTriangle> triangles, u32 rank, u32 rank_count,
                          ForwardedPoint* live, u64 n, u32 k, Neighbour* found, u32* counts, u32* reply_to) {
  persistent_for_each(ex, "waves: nearest primitives", n, queries_at_once,
                      FindNeighboursHere{tree, triangles, {rank, rank_count, live, reply_to}, k, found, counts});
}

template <class Executor>
void pack_neighbours(const Executor& ex, BufferSpan<const PackedTriangle> triangles, const Neighbour* found, u32 k,
                     const u32* ids, const u64* offsets, u64 count, FoundNeighbour* items) {
  for_each(ex, "waves: pack neighbours", count, PackNeighbours{triangles, found, k, ids, offsets, items});
}

template <class Executor>
void begin_counts(const Executor& ex, u64 n, u32* counts) {
  for_each(ex, "waves: begin counts", n, ClearCount{counts});
}

template <class Executor>
void keep_neighbours(const Executor& ex, const ListHead* heads, u64 count, const u64* offsets,
                     const FoundNeighbour* items, u32 k, FoundNeighbour* best, u32* counts) {
  for_each(ex, "waves: keep neighbours", count, KeepNeighbours{heads, offsets, items, k, best, counts});
}

template <class Executor>
void store_neighbours(const Executor& ex, FoundNeighbour* best, const u32* counts, u64 n, u32 k,
                      Neighbour* neighbours) {
  for_each(ex, "waves: store neighbours", n, StoreNeighbours{best, counts, k, neighbours});
}

using PackedOfRank = BufferSpan<const PackedTriangle>;

template void pack_heads(const BodyExecutor&, const ForwardedPoint*, const u32*, const u32*, u64, ListHead*);
template void place_heads(const BodyExecutor&, const ListHead*, u64, u64*);
template void find_neighbours_here(const BodyExecutor&, const CompressedBvh4View&, PackedOfRank, u32, u32,
                                   ForwardedPoint*, u64, u32, Neighbour*, u32*, u32*);
template void pack_neighbours(const BodyExecutor&, PackedOfRank, const Neighbour*, u32, const u32*, const u64*,
                              u64, FoundNeighbour*);
template void begin_counts(const BodyExecutor&, u64, u32*);
template void keep_neighbours(const BodyExecutor&, const ListHead*, u64, const u64*, const FoundNeighbour*, u32,
                              FoundNeighbour*, u32*);
template void store_neighbours(const BodyExecutor&, FoundNeighbour*, const u32*, u64, u32, Neighbour*);

}  // namespace copse::detail
