#pragma once

// A binary tree as traversals see it: the nodes are pairs of siblings, named by the first of them. So a step reads
// both boxes from 64 contiguous bytes, as in wide trees.

#include "builders/bvh/node.h"
#include "builders/bvh/wide_node.h"
#include "trace/hit/prepared_ray.h"

namespace copse::detail {

/// Sort key of a child: the lowest key is visited first. It depends on the ray and the box alone, which climbing
/// needs.
///
/// The key is the middle of the ray's span in the box. In interiors a ray is often in two boxes at once at t_min, as
/// it is in all boxes around its origin. Then the box that it leaves sooner comes first. Boxes that overlap are
/// ordered by where most of their contents are.
COPSE_HD inline u32 middle_key(const BoxSpan& span) {
  return bits_of(add_rn(span.entry, span.exit));
}

/// The spans of both boxes of a pair, up to the ray's limit; for fast traversals.
struct PairSpans {
  BvhNode left, right;
  BoxSpan in_left, in_right;

  template <u32 octant>
  [[gnu::always_inline]] COPSE_HD static PairSpans of(const BvhNode* pair, const RaySlabs& slabs, float limit) {
    PairSpans spans{pair[0], pair[1], {}, {}};
    spans.in_left = intersect_box<octant>(slabs, spans.left.lo, spans.left.hi);
    spans.in_right = intersect_box<octant>(slabs, spans.right.lo, spans.right.hi);
    spans.in_left.exit = min_number(spans.in_left.exit, limit);
    spans.in_right.exit = min_number(spans.in_right.exit, limit);
    return spans;
  }

  COPSE_HD bool enters_left() const { return in_left.entry <= in_left.exit; }
  COPSE_HD bool enters_right() const { return in_right.entry <= in_right.exit; }

  /// True if the middle of the ray's span in the right box comes first.
  COPSE_HD bool right_is_nearer() const {
    return add_rn(in_right.entry, in_right.exit) < add_rn(in_left.entry, in_left.exit);
  }

  /// Chooses word by word. For a choice between two structures, compilers store both to memory and choose an address.
  COPSE_HD WideChild child(bool takes_right) const {
    return {takes_right ? right.first : left.first, takes_right ? right.count : left.count};
  }
};

struct BinaryTree {
  static constexpr u32 width = 2;

  const BvhNode* nodes;
  const u32* parents;
  const u32* primitive_ids;

  COPSE_HD explicit BinaryTree(const BvhView& bvh)
      : nodes(bvh.nodes.data()), parents(bvh.parents.data()), primitive_ids(bvh.primitive_ids.data()) {}

  COPSE_HD Aabb bounds() const { return nodes[0].box(); }
  COPSE_HD WideChild root() const { return {nodes[0].first, nodes[0].count}; }

  /// Returns the child of a pair to visit first, and pushes the other. Returns nothing if the ray misses both.
  template <class Stack>
  [[gnu::always_inline]] COPSE_HD WideChild descend(const RaySlabs& slabs, float limit, u32 pair,
                                                    Stack& stack) const {
    const BvhNode left = nodes[pair], right = nodes[pair + 1];
    const BoxSpan left_span = intersect_box(slabs, left.lo, left.hi);
    const BoxSpan right_span = intersect_box(slabs, right.lo, right.hi);
    const bool enters_left = is_within(left_span, limit), enters_right = is_within(right_span, limit);
    const bool left_first = middle_key(left_span) <= middle_key(right_span);
    if (enters_left && enters_right) {
      stack.push(left_first ? right.first : left.first, left_first ? right.count : left.count,
                 bits_of(left_first ? right_span.entry : left_span.entry));
    }
    if (!enters_left && !enters_right) return WideChild::nothing();
    const bool takes_left = enters_left && (left_first || !enters_right);
    return {takes_left ? left.first : right.first, takes_left ? left.count : right.count};
  }

  // ---- For climbing -----------------------------------------------------------------------------------------

  COPSE_HD WideChild child(u32 pair, u32 slot) const {
    return {nodes[pair + slot].first, nodes[pair + slot].count};
  }
  COPSE_HD BoxSpan span(const RaySlabs& slabs, u32 pair, u32 slot) const {
    return intersect_box(slabs, nodes[pair + slot].lo, nodes[pair + slot].hi);
  }
  COPSE_HD static u64 order(const BoxSpan& span, u32 slot) { return u64{middle_key(span)} << 32 | slot; }

  /// Goes from a pair to the pair that holds its parent, and to the parent's slot there. False at the root.
  COPSE_HD bool to_parent(u32& pair, u32& slot) const {
    const u32 node = parents[sibling_pair(pair)];
    if (node == 0) return false;
    slot = (node - 1) & 1;
    pair = node - slot;
    return true;
  }
};

COPSE_HD inline BinaryTree tree_of(const BvhView& bvh) {
  return BinaryTree(bvh);
}

}  // namespace copse::detail
