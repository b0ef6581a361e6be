// Overlaps of regions with primitives of trees, compiled once per layout: BodyView is the view of a tree in this
// layout.
//
// Count, scan, fill: each traversal is done twice, so that no list needs room for the longest one.

#include "builders/geometry/make_triangle_table.h"
#include "primitives/inputs.h"
#include "primitives/persistent.h"
#include "primitives/scan.h"
#include "queries/nearest/query_batch.h"
#include "queries/overlap.h"
#include "queries/wide_query_walk.h"

namespace copse::detail {

template <class View, class Region>
struct CountOverlaps {
  View bvh;
  TriangleTable triangles;
  const Region* regions;
  u32* counts;
  COPSE_HD void operator()(u64 i) const {
    counts[i] = count_overlaps(bvh, triangles, regions[i]);  // of queries/overlap.h
  }
};

/// Stores primitives from a place on, as far as there is room.
struct StorePrimitives {
  u32* out;
  u64 at, end;
  COPSE_HD bool operator()(u32 primitive) {
    if (at < end) out[at] = primitive;
    return ++at >= end;
  }
};

template <class View, class Region>
struct StoreOverlaps {
  View bvh;
  TriangleTable triangles;
  const Region* regions;
  const u64* offsets;
  BufferSpan<u32> primitives;
  COPSE_HD void operator()(u64 i) const {
    const u64 end = smaller(offsets[i + 1], primitives.size());
    if (offsets[i] >= end) return;
    StorePrimitives store{primitives.data(), offsets[i], end};
    for_each_overlap(bvh, triangles, regions[i], store);
  }
};

template <class Executor, class View, class Region>
void count_overlaps(const Executor& ex, const View& bvh, std::span<const TriangleView> views,
                    BufferSpan<const Region> regions, u32* counts) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  persistent_for_each(ex, "queries: count overlaps", regions.size(), queries_at_once,
                      CountOverlaps<View, Region>{bvh, triangles, regions.data(), counts});
}

template <class Executor, class View, class Region>
void place_overlaps(const Executor& ex, const View& bvh, std::span<const TriangleView> views,
                    BufferSpan<const Region> regions, u64* offsets) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 n = regions.size();
  u32* counts = frame.template allocate<u32>(n);
  count_overlaps(ex, bvh, views, regions, counts);
  u64* const no_total = nullptr;
  exclusive_scan(ex, "queries: place overlaps", n + 1, CountsAndEnd{counts, n}, u64{0}, Plus{}, offsets, no_total);
}

template <class Executor, class View, class Region>
void store_overlaps(const Executor& ex, const View& bvh, std::span<const TriangleView> views,
                    BufferSpan<const Region> regions, const u64* offsets, BufferSpan<u32> primitives) {
  if (primitives.empty()) return;
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  persistent_for_each(ex, "queries: store overlaps", regions.size(), queries_at_once,
                      StoreOverlaps<View, Region>{bvh, triangles, regions.data(), offsets, primitives});
}

/// The instances for one layout and region.
#define COPSE_OVERLAPS_OF(View, Region)                                                         \
  template void count_overlaps(const BodyExecutor&, const View&, std::span<const TriangleView>, \
                               BufferSpan<const Region>, u32*);                                 \
  template void place_overlaps(const BodyExecutor&, const View&, std::span<const TriangleView>, \
                               BufferSpan<const Region>, u64*);                                 \
  template void store_overlaps(const BodyExecutor&, const View&, std::span<const TriangleView>, \
                               BufferSpan<const Region>, const u64*, BufferSpan<u32>)

COPSE_OVERLAPS_OF(BodyView, Aabb);
COPSE_OVERLAPS_OF(BodyView, Sphere);
COPSE_OVERLAPS_OF(BodyView, Frustum);

#undef COPSE_OVERLAPS_OF

}  // namespace copse::detail
