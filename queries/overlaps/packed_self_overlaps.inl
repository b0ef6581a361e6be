// Pairs of packed triangles that overlap, for the layout of Accel.

#include "builders/bvh/wide_node.h"
#include "primitives/persistent.h"
#include "queries/overlaps/self_overlap_batch.h"

namespace copse::detail {

template <class Executor>
void place_packed_pairs(const Executor& ex, const CompressedBvh4View& bvh,
                        const OverlappingPackedTriangles& shapes, u64* offsets) {
  place_pairs_of(ex, bvh, shapes.triangles.size(), shapes, offsets);
}

template <class Executor>
void store_packed_pairs(const Executor& ex, const CompressedBvh4View& bvh,
                        const OverlappingPackedTriangles& shapes, const u64* offsets,
                        BufferSpan<PrimitivePair> pairs) {
  store_pairs_of(ex, bvh, shapes.triangles.size(), shapes, offsets, pairs);
}

template <class Executor>
void find_packed_pairs(const Executor& ex, const CompressedBvh4View& bvh, const OverlappingPackedTriangles& shapes,
                       BufferSpan<PrimitivePair> pairs, u64* total) {
  find_pairs_of(ex, bvh, shapes.triangles.size(), shapes, pairs, total);
}

template void place_packed_pairs(const BodyExecutor&, const CompressedBvh4View&, const OverlappingPackedTriangles&,
                                 u64*);
template void store_packed_pairs(const BodyExecutor&, const CompressedBvh4View&, const OverlappingPackedTriangles&,
                                 const u64*, BufferSpan<PrimitivePair>);
template void find_packed_pairs(const BodyExecutor&, const CompressedBvh4View&, const OverlappingPackedTriangles&,
                                BufferSpan<PrimitivePair>, u64*);

}  // namespace copse::detail
