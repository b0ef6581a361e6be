#pragma once

#include "builders/bvh/bvh.h"

namespace copse::detail {

/// A tree's memory, as builders write it.
struct BvhArrays {
  BvhNode* nodes;
  u32* parents;
  u32* primitive_ids;
  BvhCounts* counts;
};

/// Stores a tree's counts and, for a tree without primitives, its empty root.
COPSE_HD inline void store_counts(const BvhArrays& bvh, u32 leaf_count, u32 primitive_count, u32 source_count) {
  *bvh.counts = {leaf_count == 0 ? 0 : 2 * leaf_count - 1, leaf_count, primitive_count,
                 source_count - primitive_count};
  if (leaf_count == 0) bvh.nodes[0] = BvhNode::inner(Aabb::empty(), 0);
}

inline BvhArrays arrays_of(Bvh& bvh) {
  return {bvh.nodes.data(), bvh.parents.data(), bvh.primitive_ids.data(), bvh.counts.data()};
}

}  // namespace copse::detail
