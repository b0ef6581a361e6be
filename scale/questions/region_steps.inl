// The steps of a wave of regions on one rank. region_questions.cpp calls them.

#include "builders/bvh/wide_node.h"
#include "builders/geometry/packed_triangle.h"
#include "primitives/persistent.h"
#include "primitives/radix_sort.h"
#include "primitives/scan.h"
#include "queries/nearest/query_batch.h"
#include "queries/wide_query_walk.h"
#include "scale/questions/forwarded_region.h"
#include "scale/questions/list_steps.h"
#include "scale/waves/move_messages.h"

namespace copse::detail {

namespace {

template <class Region>
struct BeginRegion {
  const Region* regions;
  u32 rank;
  ForwardedRegion<Region>* live;
  COPSE_HD void operator()(u64 i) const { live[i] = {regions[i], 0, rank, u32(i)}; }
};

template <class Region>
struct RouteRegion {
  const ForwardedRegion<Region>* live;
  SpineView spine;
  u32* to;
  COPSE_HD void operator()(u64 i) const { to[i] = next_overlapped_rank(spine, live[i]); }
};

/// Counts the triangles of this rank that touch a region. If there are any, the source of the region gets a list.
template <class Region>
struct CountHere {
  CompressedBvh4View tree;
  BufferSpan<const PackedTriangle> triangles;
  u32 rank, rank_count;
  ForwardedRegion<Region>* live;
  u32* counts;
  u32* reply_to;

  COPSE_HD void operator()(u64 i) const {
    counts[i] = count_overlaps(tree, triangles, live[i].region);  // of queries/overlap.h
    live[i].visited |= u64{1} << rank;
    reply_to[i] = counts[i] > 0 ? live[i].source : rank_count;
  }
};

/// Stores primitives one after another.
struct AppendPrimitive {
  u32* out;
  COPSE_HD bool operator()(u32 primitive) {
    *out++ = primitive;
    return false;
  }
};

template <class Region>
struct StoreHere {
  CompressedBvh4View tree;
  BufferSpan<const PackedTriangle> triangles;
  const ForwardedRegion<Region>* live;
  const u32* ids;
  const u64* offsets;
  u32* items;

  COPSE_HD void operator()(u64 i) const {
    AppendPrimitive append{items + offsets[i]};
    for_each_overlap(tree, triangles, live[ids[i]].region, append);
  }
};

struct ClearRegionCount {
  u32* counts;
  COPSE_HD void operator()(u64 i) const { counts[i] = 0; }
};

/// A region is at one rank at a time, so no two heads of a wave are for the same region.
struct AddToCount {
  const ListHead* heads;
  u32* counts;
  COPSE_HD void operator()(u64 i) const { counts[heads[i].index] += heads[i].count; }
};

struct CountsOfRegions {
  const u32* counts;
  u64 n;
  COPSE_HD u64 operator()(u64 i) const { return i < n ? counts[i] : 0; }
};

/// Stores a key for each result: the region, then the primitive.
struct StoreResultKeys {
  const ListHead* heads;
  const u64* offsets;
  const u32* items;
  u64* ends;  // the end of the results of each region so far
  u64* keys;

  COPSE_HD void operator()(u64 i) const {
    const u32 region = heads[i].index;
    u64 to = ends[region];
    for (u64 at = offsets[i]; at < offsets[i + 1]; ++at) keys[to++] = u64{region} << 32 | items[at];
    ends[region] = to;
  }
};

struct LoadResultKey {
  const u64* keys;
  COPSE_HD u64 operator()(u64 i) const { return keys[i]; }
};

struct StoreResult {
  const u64* keys;
  u32* primitives;
  COPSE_HD void operator()(u64 i) const { primitives[i] = u32(keys[i]); }
};

struct CopyEnd {
  const u64* offsets;
  u64* ends;
  COPSE_HD void operator()(u64 i) const { ends[i] = offsets[i]; }
};

}  // namespace

template <class Executor, class Region>
void begin_regions(const Executor& ex, const Region* regions, u64 n, u32 rank, ForwardedRegion<Region>* live) {
  for_each(ex, "waves: begin regions", n, BeginRegion<Region>{regions, rank, live});
}

template <class Executor, class Region>
void route_regions(const Executor& ex, const ForwardedRegion<Region>* live, u64 n, const SpineView& spine,
                   u32* to) {
  for_each(ex, "waves: route regions", n, RouteRegion<Region>{live, spine, to});
}

template <class Executor, class Region>
void count_here(const Executor& ex, const CompressedBvh4View& tree, BufferSpan<const PackedTriangle> triangles,
                u32 rank, u32 rank_count, ForwardedRegion<Region>* live, u64 n, u32* counts, u32* reply_to) {
  persistent_for_each(ex, "waves: count overlaps", n, queries_at_once,
                      CountHere<Region>{tree, triangles, rank, rank_count, live, counts, reply_to});
}

template <class Executor, class Region>
void store_here(const Executor& ex, const CompressedBvh4View& tree, BufferSpan<const PackedTriangle> triangles,
                const ForwardedRegion<Region>* live, const u32* ids, const u64* offsets, u64 count, u32* items) {
  persistent_for_each(ex, "waves: store overlaps", count, queries_at_once,
                      StoreHere<Region>{tree, triangles, live, ids, offsets, items});
}

template <class Executor>
void begin_region_counts(const Executor& ex, u64 n, u32* counts) {
  for_each(ex, "waves: begin counts", n, ClearRegionCount{counts});
}

template <class Executor>
void add_region_counts(const Executor& ex, const ListHead* heads, u64 count, u32* counts) {
  for_each(ex, "waves: add counts", count, AddToCount{heads, counts});
}

/// Stores where the results of each region begin, twice: `ends` moves on as results are stored.
template <class Executor>
void place_results(const Executor& ex, const u32* counts, u64 n, u64* offsets, u64* ends) {
  u64* const no_total = nullptr;
  exclusive_scan(ex, "waves: place results", n + 1, CountsOfRegions{counts, n}, u64{0}, Plus{}, offsets, no_total);
  for_each(ex, "waves: begin results", n, CopyEnd{offsets, ends});
}

template <class Executor>
void store_result_keys(const Executor& ex, const ListHead* heads, const u64* offsets, const u32* items, u64 count,
                       u64* ends, u64* keys) {
  for_each(ex, "waves: keep results", count, StoreResultKeys{heads, offsets, items, ends, keys});
}

/// Stores the primitives in the order of the keys.
///   bits: of a key
template <class Executor>
void sort_results(const Executor& ex, const u64* keys, u64 count, u32 bits, u64* sorted, u32* primitives) {
  radix_sort_keys(ex, "waves: sort results", count, LoadResultKey{keys}, sorted, BitRange{0, bits});
  for_each(ex, "waves: store results", count, StoreResult{sorted, primitives});
}

#define COPSE_REGIONS_OF(Region)                                                                                  \
  template void move_messages(const BodyExecutor&, const ForwardedRegion<Region>*, const u32*, u64,               \
                              ForwardedRegion<Region>*);                                                          \
  template void pack_heads(const BodyExecutor&, const ForwardedRegion<Region>*, const u32*, const u32*, u64,      \
                           ListHead*);                                                                            \
  template void begin_regions(const BodyExecutor&, const Region*, u64, u32, ForwardedRegion<Region>*);            \
  template void route_regions(const BodyExecutor&, const ForwardedRegion<Region>*, u64, const SpineView&, u32*);  \
  template void count_here(const BodyExecutor&, const CompressedBvh4View&, BufferSpan<const PackedTriangle>, u32, \
                           u32, ForwardedRegion<Region>*, u64, u32*, u32*);                                       \
  template void store_here(const BodyExecutor&, const CompressedBvh4View&, BufferSpan<const PackedTriangle>,      \
                           const ForwardedRegion<Region>*, const u32*, const u64*, u64, u32*)

COPSE_REGIONS_OF(Aabb);
COPSE_REGIONS_OF(Sphere);
COPSE_REGIONS_OF(Frustum);

#undef COPSE_REGIONS_OF

template void begin_region_counts(const BodyExecutor&, u64, u32*);
template void add_region_counts(const BodyExecutor&, const ListHead*, u64, u32*);
template void place_results(const BodyExecutor&, const u32*, u64, u64*, u64*);
template void store_result_keys(const BodyExecutor&, const ListHead*, const u64*, const u32*, u64, u64*, u64*);
template void sort_results(const BodyExecutor&, const u64*, u64, u32, u64*, u32*);

}  // namespace copse::detail
