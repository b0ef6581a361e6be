#pragma once

// Topology and boxes of an LBVH on the CPU. Contract: builders/bvh/lbvh/lbvh.inl.
//
// A walk from each leaf: a node's parent splits at whichever end of its range has the closer neighbour; of two
// children the one that arrives second goes on with the parent (Apetrei, "Fast and Simple Agglomerative LBVH
// Construction", CGVC 2014).

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/lbvh/leaf_box.h"
#include "builders/bvh/lbvh/subtree_place.h"
#include "builders/bvh/morton/morton_sort_cpu.h"
#include "builders/bvh/morton/precomputed_bounds.h"
#include "primitives/cpu/tree_walk.h"

namespace copse::cpu {

namespace detail {

template <class Boxes, class Leaves>
struct JoinUpwards {
  Boxes boxes;
  copse::detail::LeafHierarchy<Leaves> hierarchy;
  u32* meetings;  // [split]: the far end of the child that came first
  copse::detail::BvhArrays bvh;

  void operator()(u64 i) const {
    using copse::detail::SubtreePlace;
    if (i >= bvh.counts->leaf_count) return;
    if (i == 0 && Leaves::are_primitives) store_has_deltas(bvh, 0);
    copse::detail::LeafRange range{u32(i), u32(i)};
    BvhNode node = make_leaf(boxes, hierarchy.leaves, bvh.primitive_ids, u32(i));
    u32 split = invalid_id;  // of the node, where it is an inner one
    for (;;) {
      const SubtreePlace place(range, hierarchy.delta_left(range.first), hierarchy.delta_right(range.last));
      bvh.nodes[place.node] = node;
      if (split != invalid_id) bvh.parents[split] = place.node;
      if (place.node == 0) return;

      split = sibling_pair(place.node);
      const u32 other_end = meet(&meetings[split], place.is_right_child() ? range.last : range.first);
      if (other_end == invalid_id) return;
      (place.is_right_child() ? range.first : range.last) = other_end;
      node = BvhNode::inner(merge(node.box(), bvh.nodes[sibling(place.node)].box()), 2 * split + 1);
    }
  }
};

}  // namespace detail

/// Contract: builders/bvh/lbvh/lbvh.inl.
template <class Boxes, class Leaves>
void join_leaves(const Executor& ex, const Boxes& boxes, const copse::detail::PrecomputedBounds&,
                 const Leaves& leaves, const u8* deltas, u64 n, const copse::detail::BvhArrays& bvh) {
  if (n == 0) return;
  with_zeroed_words(ex, "lbvh: clear meetings", n, [&](u32* meetings) {
    for_each(ex, "lbvh: topology and boxes", n,
             detail::JoinUpwards<Boxes, Leaves>{boxes, {leaves, deltas, bvh.counts->leaf_count}, meetings, bvh});
  });
}

inline u64 join_leaves_scratch_bytes(const Executor& ex, u64 n) {
  return zeroed_words_scratch_bytes(ex, n);
}

}  // namespace copse::cpu
