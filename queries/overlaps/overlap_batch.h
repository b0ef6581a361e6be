#pragma once

// Overlaps of regions with primitives of trees, over triangles of views and packed ones. For bodies: the
// executor's primitives must be included.
//
// Count, scan and fill: each traversal is done twice, so that no list needs room for the longest
// one.

#include "primitives/inputs.h"
#include "queries/nearest/query_batch.h"
#include "queries/overlap.h"
#include "queries/wide_query_walk.h"

namespace copse::detail {

template <class View, class Source, class Region>
struct CountOverlaps {
  View bvh;
  Source triangles;
  const Region* regions;
  u32* counts;
  COPSE_HD void operator()(u64 i) const {
    counts[i] = count_overlaps(bvh, triangles, regions[i]);  // of queries/overlap.h
  }
};

/// Stores primitives from a place on, up to the end of the buffer.
struct StorePrimitives {
  u32* out;
  u64 at, end;
  COPSE_HD bool operator()(u32 primitive) {
    if (at < end) out[at] = primitive;
    return ++at >= end;
  }
};

template <class View, class Source, class Region>
struct StoreOverlaps {
  View bvh;
  Source triangles;
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

template <class Executor, class View, class Triangles, class Region>
void count_overlaps(const Executor& ex, const View& bvh, const Triangles& triangles,
                    BufferSpan<const Region> regions, u32* counts) {
  ScratchArena::Frame frame(ex.scratch);
  const auto source = query_source(ex, frame, triangles);
  persistent_for_each(ex, "queries: count overlaps", regions.size(), queries_at_once,
                      CountOverlaps<View, QuerySource<Triangles>, Region>{bvh, source, regions.data(), counts});
}

template <class Executor, class View, class Triangles, class Region>
void place_overlaps(const Executor& ex, const View& bvh, const Triangles& triangles,
                    BufferSpan<const Region> regions, u64* offsets) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 n = regions.size();
  u32* counts = frame.template allocate<u32>(n);
  count_overlaps(ex, bvh, triangles, regions, counts);
  place_lists(ex, "queries: place overlaps", counts, n, offsets);
}

template <class Executor, class View, class Triangles, class Region>
void store_overlaps(const Executor& ex, const View& bvh, const Triangles& triangles,
                    BufferSpan<const Region> regions, const u64* offsets, BufferSpan<u32> primitives) {
  if (primitives.empty()) return;
  ScratchArena::Frame frame(ex.scratch);
  const auto source = query_source(ex, frame, triangles);
  persistent_for_each(
      ex, "queries: store overlaps", regions.size(), queries_at_once,
      StoreOverlaps<View, QuerySource<Triangles>, Region>{bvh, source, regions.data(), offsets, primitives});
}

}  // namespace copse::detail
