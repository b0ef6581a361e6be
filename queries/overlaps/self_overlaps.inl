// Pairs that overlap in binary trees, over triangles of views or over boxes.

#include "builders/geometry/make_triangle_table.h"
#include "primitives/persistent.h"
#include "queries/overlaps/self_overlap_batch.h"

namespace copse::detail {

namespace {

/// Calls run(shapes) with the triangles or the boxes.
template <class Executor, class Run>
void with_shapes(const Executor& ex, const OverlappingPrimitives& primitives, const Run& run) {
  ScratchArena::Frame frame(ex.scratch);
  if (primitives.boxes != nullptr) {
    run(OverlappingBoxes{primitives.boxes});
  } else {
    run(OverlappingTriangles{make_triangle_table(ex, frame, primitives.views), primitives.options});
  }
}

}  // namespace

template <class Executor>
void place_pairs(const Executor& ex, const BvhView& bvh, const OverlappingPrimitives& primitives, u64* offsets) {
  with_shapes(ex, primitives,
              [&](const auto& shapes) { place_pairs_of(ex, bvh, bvh.primitive_ids.size(), shapes, offsets); });
}

template <class Executor>
void store_pairs(const Executor& ex, const BvhView& bvh, const OverlappingPrimitives& primitives,
                 const u64* offsets, BufferSpan<PrimitivePair> pairs) {
  with_shapes(ex, primitives, [&](const auto& shapes) {
    store_pairs_of(ex, bvh, bvh.primitive_ids.size(), shapes, offsets, pairs);
  });
}

template <class Executor>
void find_pairs(const Executor& ex, const BvhView& bvh, const OverlappingPrimitives& primitives,
                BufferSpan<PrimitivePair> pairs, u64* total) {
  with_shapes(ex, primitives,
              [&](const auto& shapes) { find_pairs_of(ex, bvh, bvh.primitive_ids.size(), shapes, pairs, total); });
}

template void place_pairs(const BodyExecutor&, const BvhView&, const OverlappingPrimitives&, u64*);
template void store_pairs(const BodyExecutor&, const BvhView&, const OverlappingPrimitives&, const u64*,
                          BufferSpan<PrimitivePair>);
template void find_pairs(const BodyExecutor&, const BvhView&, const OverlappingPrimitives&,
                         BufferSpan<PrimitivePair>, u64*);

}  // namespace copse::detail
