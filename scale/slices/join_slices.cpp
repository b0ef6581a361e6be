#include "scale/slices/join_slices.h"

namespace copse::detail {

namespace {

/// Joins subtrees, which are pushed from left to right.
class SubtreeStack {
 public:
  SubtreeStack(const BvhArrays& bvh, u32 last_slot) : bvh_(bvh), last_slot_(last_slot) {}

  /// The deltas at the ends of a range, as in LeafHierarchy: 0 at the ends of the tree.
  u32 delta_left(u32 slot) const { return slot == 0 ? 0 : 1 + bvh_.deltas[slot - 1]; }
  u32 delta_right(u32 slot) const { return slot == last_slot_ ? 0 : delta_left(slot + 1); }

  void push(const BvhNode& node, u32 last) {
    pending_.push_back({node, last});
    while (pending_.size() > 1 && delta_right(pending_.end()[-2].last) > delta_right(last)) join_last_two();
  }

  /// Stores the root. All subtrees are joined by then, because the delta at the end is the lowest.
  void finish() { store(pending_.front().node, 0); }

 private:
  struct Subtree {
    BvhNode node;
    u32 last;  // slot
  };

  void store(const BvhNode& node, u32 place) {
    bvh_.nodes[place] = node;
    if (!node.is_leaf()) bvh_.parents[sibling_pair(node.first)] = place;
  }

  void join_last_two() {
    const Subtree right = pending_.back();
    pending_.pop_back();
    Subtree& left = pending_.back();
    const u32 split = left.last, children = 2 * split + 1;
    store(left.node, children);
    store(right.node, children + 1);
    left = {BvhNode::inner(merge(left.node.box(), right.node.box()), children), right.last};
  }

  BvhArrays bvh_;
  u32 last_slot_;
  std::vector<Subtree> pending_;
};

/// Pushes those subtrees of a slice that are also subtrees of the whole tree, from left to right.
class SubtreesOfSlice {
 public:
  SubtreesOfSlice(const SliceTree& slice, const BvhArrays& bvh, SubtreeStack& stack)
      : slice_(slice), bvh_(bvh), stack_(stack) {}

  void push_below(const BvhNode& node, u32 first, u32 last) {
    if (node.is_leaf() || is_whole(node, first, last)) return stack_.push(node, last);
    const u32 children = node.first, split = sibling_pair(children);
    push_below(bvh_.nodes[children], first, split);
    push_below(bvh_.nodes[children + 1], split + 1, last);
  }

 private:
  /// Returns true if no end of the slice has cut the range of a node.
  bool is_whole(const BvhNode& node, u32 first, u32 last) const {
    const u32 own = stack_.delta_right(sibling_pair(node.first));
    return (first > slice_.first || stack_.delta_left(first) < own) &&
           (last < slice_.last || stack_.delta_right(last) < own);
  }

  const SliceTree& slice_;
  const BvhArrays& bvh_;
  SubtreeStack& stack_;
};

}  // namespace

void join_slices(const std::vector<SliceTree>& slices, const BvhArrays& bvh) {
  SubtreeStack stack(bvh, slices.back().last);
  for (const SliceTree& slice : slices) {
    SubtreesOfSlice(slice, bvh, stack).push_below(slice.root, slice.first, slice.last);
  }
  stack.finish();
}

void join_leaves(std::span<const Aabb> boxes, const BvhArrays& bvh) {
  SubtreeStack stack(bvh, u32(boxes.size()) - 1);
  for (u32 slot = 0; slot < boxes.size(); ++slot) stack.push(BvhNode::leaf(boxes[slot], slot, 1), slot);
  stack.finish();
}

}  // namespace copse::detail
