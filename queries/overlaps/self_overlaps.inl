// Count, scan, fill: each primitive's traversal is done twice.

#include "builders/geometry/make_triangle_table.h"
#include "primitives/inputs.h"
#include "primitives/persistent.h"
#include "primitives/scan.h"
#include "queries/nearest/query_batch.h"
#include "queries/self_overlap.h"

namespace copse::detail {

namespace {

/// Stores for each place of primitive_ids the leaf that it is in.
struct NoteLeaves {
  BvhView bvh;
  u32* leaves;
  COPSE_HD void operator()(u64 i) const {
    if (i >= bvh.counts.data()->node_count) return;
    const BvhNode node = bvh.nodes.data()[i];
    for (u32 k = 0; k < node.count; ++k) leaves[node.first + k] = u32(i);
  }
};

struct CountPairs {
  u32 count = 0;
  COPSE_HD bool operator()(const PrimitivePair&) {
    ++count;
    return false;
  }
};

template <class Shapes>
struct CountPairsAfter {
  BvhView bvh;
  const u32* leaves;
  Shapes shapes;
  u32* counts;
  COPSE_HD void operator()(u64 place) const {
    CountPairs pairs;
    if (place < bvh.counts.data()->primitive_count) {
      for_each_pair_after(bvh, leaves[place], u32(place), shapes, pairs);
    }
    counts[place] = pairs.count;
  }
};

/// Stores pairs from a place on, as far as there is room.
struct StorePairs {
  PrimitivePair* out;
  u64 at, end;
  COPSE_HD bool operator()(const PrimitivePair& pair) {
    out[at] = pair;
    return ++at >= end;
  }
};

template <class Shapes>
struct StorePairsAfter {
  BvhView bvh;
  const u32* leaves;
  Shapes shapes;
  const u64* offsets;
  BufferSpan<PrimitivePair> pairs;
  COPSE_HD void operator()(u64 place) const {
    const u64 end = smaller(offsets[place + 1], pairs.size());
    if (offsets[place] >= end) return;
    StorePairs store{pairs.data(), offsets[place], end};
    for_each_pair_after(bvh, leaves[place], u32(place), shapes, store);
  }
};

template <class Executor>
const u32* note_leaves(const Executor& ex, ScratchArena::Frame& frame, const BvhView& bvh) {
  u32* leaves = frame.template allocate<u32>(bvh.primitive_ids.size());
  for_each(ex, "self overlaps: leaves", bvh.nodes.size(), NoteLeaves{bvh, leaves});
  return leaves;
}

/// Calls run(shapes) with the triangles or the boxes.
template <class Executor, class Run>
void with_shapes(const Executor& ex, ScratchArena::Frame& frame, const OverlappingPrimitives& primitives,
                 const Run& run) {
  if (primitives.boxes != nullptr) {
    run(OverlappingBoxes{primitives.boxes});
  } else {
    run(OverlappingTriangles{make_triangle_table(ex, frame, primitives.views), primitives.options});
  }
}

}  // namespace

template <class Executor>
void place_pairs(const Executor& ex, const BvhView& bvh, const OverlappingPrimitives& primitives, u64* offsets) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 n = bvh.primitive_ids.size();
  const u32* leaves = note_leaves(ex, frame, bvh);
  u32* counts = frame.template allocate<u32>(n);
  with_shapes(ex, frame, primitives, [&](const auto& shapes) {
    using Shapes = std::remove_cvref_t<decltype(shapes)>;
    persistent_for_each(ex, "self overlaps: count", n, queries_at_once,
                        CountPairsAfter<Shapes>{bvh, leaves, shapes, counts});
  });
  u64* const no_total = nullptr;
  exclusive_scan(ex, "self overlaps: place", n + 1, CountsAndEnd{counts, n}, u64{0}, Plus{}, offsets, no_total);
}

template <class Executor>
void store_pairs(const Executor& ex, const BvhView& bvh, const OverlappingPrimitives& primitives,
                 const u64* offsets, BufferSpan<PrimitivePair> pairs) {
  if (pairs.empty()) return;
  ScratchArena::Frame frame(ex.scratch);
  const u32* leaves = note_leaves(ex, frame, bvh);
  with_shapes(ex, frame, primitives, [&](const auto& shapes) {
    using Shapes = std::remove_cvref_t<decltype(shapes)>;
    persistent_for_each(ex, "self overlaps: store", bvh.primitive_ids.size(), queries_at_once,
                        StorePairsAfter<Shapes>{bvh, leaves, shapes, offsets, pairs});
  });
}

template <class Executor>
void find_pairs(const Executor& ex, const BvhView& bvh, const OverlappingPrimitives& primitives,
                BufferSpan<PrimitivePair> pairs, u64* total) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 n = bvh.primitive_ids.size();
  u64* offsets = frame.template allocate<u64>(n + 1);
  place_pairs(ex, bvh, primitives, offsets);
  store_pairs(ex, bvh, primitives, offsets, pairs);
  for_each(ex, "self overlaps: total", 1, CopyElements<u64>{offsets + n, total});
}

template void place_pairs(const BodyExecutor&, const BvhView&, const OverlappingPrimitives&, u64*);
template void store_pairs(const BodyExecutor&, const BvhView&, const OverlappingPrimitives&, const u64*,
                          BufferSpan<PrimitivePair>);
template void find_pairs(const BodyExecutor&, const BvhView&, const OverlappingPrimitives&,
                         BufferSpan<PrimitivePair>, u64*);

}  // namespace copse::detail
