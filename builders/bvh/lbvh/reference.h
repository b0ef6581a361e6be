#pragma once

// The plain way to make an LBVH: a thread per leaf walks towards the root. The parent of a range of leaves splits
// at the end with the higher delta. Of two children, the one that arrives second goes on with their parent
// (Apetrei, "Fast and Simple Agglomerative LBVH Construction", CGVC 2014).
//
// The CPU builds its trees this way. On CUDA it is the reference in tests: the fast way (lbvh.cuh) gives the same
// bytes. Read this file first.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/morton/leaf_hierarchy.h"
#include "primitives/loops/zeroed_words.h"
#include "primitives/tree_walk.h"

namespace copse::detail {

template <class Boxes, class Leaves>
struct JoinFromLeaf {
  Boxes boxes;
  Leaves leaves;
  const u8* deltas;  // see MortonOrder
  u32* meetings;     // [split]: the far end of the child that came first
  BvhArrays bvh;

  COPSE_HD void operator()(u64 i) const {
    const LeafHierarchy<Leaves> hierarchy{leaves, deltas, bvh.counts->leaf_count};
    if (i >= hierarchy.leaf_count) return;
    if (i == 0 && Leaves::are_primitives) store_has_deltas(bvh, 0);
    LeafRange range{u32(i), u32(i)};
    BvhNode node = make_leaf(boxes, leaves, bvh.primitive_ids, u32(i));
    u32 split = invalid_id;  // of the node, if it is an inner one
    for (;;) {
      // Store the node.
      const SubtreePlace place(range, hierarchy.delta_left(range.first), hierarchy.delta_right(range.last));
      bvh.nodes[place.node] = node;
      if (split != invalid_id) bvh.parents[split] = place.node;
      if (place.node == 0) return;

      // Go on with the parent if the sibling is there.
      split = sibling_pair(place.node);
      const u32 other_end = meet(&meetings[split], place.is_right_child() ? range.last : range.first);
      if (other_end == invalid_id) return;
      (place.is_right_child() ? range.first : range.last) = other_end;
      node = BvhNode::inner(merge(node.box(), bvh.nodes[sibling(place.node)].box()), 2 * split + 1);
    }
  }
};

/// Contract: join_leaves of lbvh.inl.
template <class Executor, class Boxes, class Leaves>
void join_by_walks(const Executor& ex, const Boxes& boxes, const Leaves& leaves, const u8* deltas, u64 n,
                   const BvhArrays& bvh) {
  if (n == 0) return;
  with_zeroed_words(ex, "lbvh: clear meetings", n, [&](u32* meetings) {
    for_each(ex, "lbvh: topology and boxes", n, JoinFromLeaf<Boxes, Leaves>{boxes, leaves, deltas, meetings, bvh});
  });
}

template <class Executor>
u64 join_by_walks_scratch_bytes(const Executor& ex, u64 n) {
  return zeroed_words_scratch_bytes(ex, n);
}

}  // namespace copse::detail
