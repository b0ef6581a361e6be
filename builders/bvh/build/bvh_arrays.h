#pragma once

#include "builders/bvh/bvh.h"

namespace copse::detail {

/// A tree's memory, as builders write it.
struct BvhArrays {
  BvhNode* nodes;
  u32* parents;
  u32* primitive_ids;
  BvhCounts* counts;
  u8* gaps;         // [slot]: how close the primitives there and in the next one are, see gap_words
  u32* is_of_gaps;  // one word
  u32* far_count;   // one word, where the tree is of its gaps
};

/// Says that a tree is the LBVH of its gaps.
///   far_count: see gap_words
COPSE_HD inline void store_is_of_gaps(const BvhArrays& bvh, u32 far_count) {
  *bvh.is_of_gaps = 1;
  *bvh.far_count = far_count;
}

/// Stores a tree's counts and, for a tree without primitives, its empty root. The tree is of no gaps yet.
COPSE_HD inline void store_counts(const BvhArrays& bvh, u32 leaf_count, u32 primitive_count, u32 source_count) {
  *bvh.counts = {leaf_count == 0 ? 0 : 2 * leaf_count - 1, leaf_count, primitive_count,
                 source_count - primitive_count};
  *bvh.is_of_gaps = 0;
  if (leaf_count == 0) bvh.nodes[0] = BvhNode::inner(Aabb::empty(), 0);
}

inline BvhArrays arrays_of(Bvh& bvh) {
  u32* const gaps = bvh.gaps.data();
  return {bvh.nodes.data(),
          bvh.parents.data(),
          bvh.primitive_ids.data(),
          bvh.counts.data(),
          reinterpret_cast<u8*>(gaps + 2),
          gaps,
          gaps + 1};
}

}  // namespace copse::detail
