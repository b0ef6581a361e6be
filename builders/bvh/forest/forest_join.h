#pragma once

// The LBVH of each tree of a forest, by walks up from all primitives: what lbvh/reference.h does for one tree. The deltas
// behind the last primitive of a tree end the walks there. For bodies that include primitives/loops/zeroed_words.h.

#include "builders/bvh/forest/forest_order.h"
#include "primitives/tree_walk.h"

namespace copse::detail {

struct JoinForestLeaf {
  ForestBuild build;
  u32* meetings;  // [slot]: at the split behind it, the far end of the child that came first

  COPSE_HD void operator()(u64 i) const {
    const u32 slot = u32(i), tree = build.shape.tree_of[slot], begin = build.shape.begins[tree];
    if (slot - begin >= build.valid_counts[tree]) return;
    const LeafHierarchy<ForestLeaves> hierarchy{{}, build.deltas, build.shape.primitive_count};
    LeafRange range{slot, slot};
    BvhNode node = make_leaf(ForestBoxes{build.boxes}, ForestLeaves{}, build.binary.primitive_ids, slot);
    u32 split = invalid_id;  // of the node, if it is an inner one
    for (;;) {
      const u32 left = hierarchy.delta_left(range.first), right = hierarchy.delta_right(range.last);
      const bool is_left_child = left < right;  // equal, at 0, for the whole tree
      const u32 place = is_left_child ? 2 * range.last + 1 : 2 * range.first;
      build.binary.nodes[place] = node;
      if (split != invalid_id) build.binary.parents[split] = place;
      if (left == right) return;

      // Go on with the parent if the sibling is there.
      split = sibling_pair(place);
      const u32 other_end = meet(&meetings[split], is_left_child ? range.first : range.last);
      if (other_end == invalid_id) return;
      (is_left_child ? range.last : range.first) = other_end;
      node = BvhNode::inner(merge(node.box(), build.binary.nodes[sibling(place)].box()), 2 * split + 1);
    }
  }
};

/// Joins the primitives of all trees, which are in order.
template <class Executor>
void join_forest(const Executor& ex, const ForestBuild& build) {
  const u64 n = build.shape.primitive_count;
  with_zeroed_words(ex, "forest: clear meetings", n, [&](u32* meetings) {
    for_each(ex, "forest: join", n, JoinForestLeaf{build, meetings});
  });
}

template <class Executor>
u64 join_forest_scratch_bytes(const Executor& ex, u64 n) {
  return zeroed_words_scratch_bytes(ex, n);
}

}  // namespace copse::detail
