#pragma once

#include "builders/bvh/bvh.h"

namespace copse::detail {

/// The memory of a tree, as builders write it.
struct BvhArrays {
  BvhNode* nodes;
  u32* parents;
  u32* primitive_ids;
  BvhCounts* counts;
  // Null in a tree that keeps none:
  u8* deltas;       // [slot]: of the primitives in it and in the next slot, see LbvhDeltas
  u32* has_deltas;  // one word
  u32* far_count;   // one word; valid if has_deltas is 1
};

/// Marks a tree as the LBVH of its deltas.
///   far_count: see LbvhDeltas
COPSE_HD inline void store_has_deltas(const BvhArrays& bvh, u32 far_count) {
  *bvh.has_deltas = 1;
  *bvh.far_count = far_count;
}

/// Stores the counts of a tree and, if it has no primitives, its empty root. Clears has_deltas.
COPSE_HD inline void store_counts(const BvhArrays& bvh, u32 leaf_count, u32 primitive_count, u32 source_count) {
  *bvh.counts = {leaf_count == 0 ? 0 : 2 * leaf_count - 1, leaf_count, primitive_count,
                 source_count - primitive_count};
  *bvh.has_deltas = 0;
  if (leaf_count == 0) bvh.nodes[0] = BvhNode::inner(Aabb::empty(), 0);
}

/// Opens the private part of a tree to builders and refits.
struct BvhAccess {
  static LbvhDeltas& deltas(Bvh& bvh) { return bvh.deltas_; }
  static const LbvhDeltas& deltas(const Bvh& bvh) { return bvh.deltas_; }
};

inline BvhArrays arrays_of(Bvh& bvh) {
  u32* const deltas = BvhAccess::deltas(bvh).words.data();
  const bool has_deltas = deltas != nullptr;
  return {bvh.nodes.data(),
          bvh.parents.data(),
          bvh.primitive_ids.data(),
          bvh.counts.data(),
          has_deltas ? reinterpret_cast<u8*>(deltas + 2) : nullptr,
          deltas,
          has_deltas ? deltas + 1 : nullptr};
}

/// The box around `count` primitives, at least one, from primitive_ids[first] on.
template <class Boxes>
COPSE_HD Aabb box_of_slots(const Boxes& boxes, const u32* primitive_ids, u32 first, u32 count) {
  Aabb box = boxes(primitive_ids[first]);
  for (u32 k = 1; k < count; ++k) box = merge(box, boxes(primitive_ids[first + k]));
  return box;
}

}  // namespace copse::detail
