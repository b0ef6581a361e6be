#pragma once

#include <span>

#include "builders/bvh/node.h"
#include "primitives/core/executor.h"
#include "queries/self_overlap.h"

namespace copse::detail {

/// What touches: triangles, where there are views, or boxes.
struct OverlappingPrimitives {
  std::span<const TriangleView> views;
  SelfOverlapOptions options;
  const Aabb* boxes;
};

/// Stores where the pairs of each place of primitive_ids begin, and one past the last the number of all.
template <class Executor>
void place_pairs(const Executor& ex, const BvhView& bvh, const OverlappingPrimitives& primitives, u64* offsets);

/// Stores the pairs, which begin at `offsets`, as far as there is room.
template <class Executor>
void store_pairs(const Executor& ex, const BvhView& bvh, const OverlappingPrimitives& primitives,
                 const u64* offsets, BufferSpan<PrimitivePair> pairs);

/// Both, offsets in scratch.
template <class Executor>
void find_pairs(const Executor& ex, const BvhView& bvh, const OverlappingPrimitives& primitives,
                BufferSpan<PrimitivePair> pairs, u64* total);

}  // namespace copse::detail
