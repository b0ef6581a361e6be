#pragma once

// The quick walk of a binary tree, step by step, with the interface of Walk. What it leaves out makes it quick:
// its stack drops nothing, so that no entry needs to be counted; and as it never climbs, the order of two children
// may depend on the hits so far.

#include "trace/walk.h"

namespace copse::detail {

/// What `a` holds where `takes_a`, else `b`. Word by word: of two structures compilers choose the address, and put
/// both into memory for it.
COPSE_HD inline WideChild pick_child(bool takes_a, const BvhNode& a, const BvhNode& b) {
  return {takes_a ? a.first : b.first, takes_a ? a.count : b.count};
}

/// `octant`: that of the ray's direction, or any_octant (trace/slabs.h).
template <u32 stack_size, u32 octant = any_octant>
class QuickBinaryWalk {
 public:
  /// `entries`: room for stack_size.
  COPSE_HD QuickBinaryWalk(const BinaryTree& tree, StackEntry* entries) : tree_(tree), entries_(entries) {}

  [[gnu::always_inline]] COPSE_HD void begin(const Ray& ray) {
    limit_ = ray.t_max;
    end(false);
    const Aabb bounds = tree_.bounds();
    if (!is_traceable(ray) || is_empty(bounds)) return;
    const RaySlabs slabs = make_slabs(ray, bounds);
    const float last = box_limit(slabs, ray.t_max);
    const bool enters = slabs.is_bounded && is_within(intersect_box<octant>(slabs, bounds.lo, bounds.hi), last);
    begin(slabs, ray.t_max, last, enters);
  }

  /// For rays that are ready, of the walk's octant. `box_limit`: that of `limit`; `enters`: whether the ray enters
  /// the tree by then.
  [[gnu::always_inline]] COPSE_HD void begin(const RaySlabs& slabs, float limit, float box_limit, bool enters) {
    slabs_ = slabs;
    limit_ = limit;
    box_limit_ = box_limit;
    entries_[0] = {invalid_id, bits_of(-infinity)};
    top_ = 1;
    gives_up_ = false;
    at_ = enters ? tree_.root() : WideChild::nothing();
  }

  COPSE_HD bool is_done() const { return at_.is_nothing(); }
  COPSE_HD bool is_at_leaf() const { return at_.is_leaf(); }
  COPSE_HD bool is_at_inner() const { return at_.is_inner(); }
  COPSE_HD bool gives_up() const { return gives_up_; }
  COPSE_HD float limit() const { return limit_; }

  template <class Counter>
  [[gnu::always_inline]] COPSE_HD void step(Counter& counter) {
    counter.count_node();
    const BvhNode left = tree_.nodes[at_.first], right = tree_.nodes[at_.first + 1];
    const BoxSpan in_left = clipped_span(left), in_right = clipped_span(right);
    const bool enters_left = in_left.entry <= in_left.exit, enters_right = in_right.entry <= in_right.exit;
    const bool left_first = add_rn(in_left.entry, in_left.exit) <= add_rn(in_right.entry, in_right.exit);
    if (enters_left && enters_right) {
      at_ = pick_child(left_first, left, right);
      push(pick_child(left_first, right, left), left_first ? in_right.entry : in_left.entry);
    } else if (enters_left || enters_right) {
      at_ = pick_child(enters_left, left, right);
    } else {
      pop();
    }
  }

  template <class LeafTest, class Counter>
  [[gnu::always_inline]] COPSE_HD void test_leaf(LeafTest& leaf_test, Counter& counter) {
    counter.count_node();
    const float before = limit_;
    for (u32 place = at_.first, last = place + at_.count; place != last; ++place) {
      counter.count_primitive();
      if (test_place(leaf_test, place)) return end(false);
    }
    if (limit_ != before) box_limit_ = box_limit(slabs_, limit_);
    pop();
  }

 private:
  /// As far as the limit.
  [[gnu::always_inline]] COPSE_HD BoxSpan clipped_span(const BvhNode& node) const {
    const BoxSpan span = intersect_box<octant>(slabs_, node.lo, node.hi);
    return {span.entry, min_number(span.exit, box_limit_)};
  }

  [[gnu::always_inline]] COPSE_HD void push(const WideChild& child, float entry) {
    if (top_ == stack_size || child.count >= stack_count_unknown) return end(true);
    entries_[top_++] = {child.first, (bits_of(entry) & ~stack_count_mask) | child.count};
  }

  /// Ends at the entry below the others, which is before any limit.
  [[gnu::always_inline]] COPSE_HD void pop() {
    StackEntry entry;
    do {
      entry = entries_[--top_];
    } while (!(float_from_bits(entry.entry_and_count & ~stack_count_mask) <= box_limit_));
    at_ = {entry.first, entry.entry_and_count & stack_count_mask};
  }

  COPSE_HD void end(bool gives_up) {
    at_ = WideChild::nothing();
    gives_up_ = gives_up;
  }

  template <class LeafTest>
  [[gnu::always_inline]] COPSE_HD bool test_place(LeafTest& leaf_test, u32 place) {
    if constexpr (TakesPlaces<LeafTest>) {
      return leaf_test(place, limit_);
    } else {
      return leaf_test(tree_.primitive_ids[place], limit_);
    }
  }

  BinaryTree tree_;
  StackEntry* entries_;
  RaySlabs slabs_{};
  float limit_ = 0, box_limit_ = 0;
  WideChild at_ = WideChild::nothing();
  u32 top_;
  bool gives_up_ = false;
};

template <u32 stack_size>
class Walk<BinaryTree, stack_size, Effort::quick> : public QuickBinaryWalk<stack_size> {
 public:
  using QuickBinaryWalk<stack_size>::QuickBinaryWalk;
};

}  // namespace copse::detail
