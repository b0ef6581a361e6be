#pragma once

// The fast traversal of a binary tree, step by step, with the interface of Walk. It is fast because it does less than
// the robust one. Its stack drops no entries, so it need not count them. It never climbs, so the order of two
// children may depend on the hits so far.

#include "trace/walk/walk.h"

namespace copse::detail {

/// `octant`: that of the ray's direction, or any_octant (trace/hit/slabs.h).
template <u32 stack_size, u32 octant = any_octant>
class FastBinaryWalk {
 public:
  /// `entries`: room for stack_size.
  COPSE_HD FastBinaryWalk(const BinaryTree& tree, StackEntry* entries) : tree_(tree), entries_(entries) {}

  [[gnu::always_inline]] COPSE_HD void begin(const Ray& ray) {
    begin(prepare_ray(ray, TreeReach::of(tree_.bounds())));
  }

  [[gnu::always_inline]] COPSE_HD void begin(const PreparedRay& prepared) {
    slabs_ = prepared.slabs;
    limit_ = prepared.limit;
    box_limit_ = prepared.box_limit;
    entries_[0] = {invalid_id, bits_of(-infinity)};
    top_ = 1;
    gives_up_ = prepared.gives_up;
    at_ = prepared.enters ? tree_.root() : WideChild::nothing();
  }

  COPSE_HD bool is_done() const { return at_.is_nothing(); }
  COPSE_HD bool is_at_leaf() const { return at_.is_leaf(); }
  COPSE_HD bool is_at_inner() const { return at_.is_inner(); }
  COPSE_HD bool gives_up() const { return gives_up_; }
  COPSE_HD float limit() const { return limit_; }

  template <class Counter>
  [[gnu::always_inline]] COPSE_HD void step(Counter& counter) {
    counter.count_node();
    const PairSpans pair = PairSpans::of<octant>(tree_.nodes + at_.first, slabs_, box_limit_);
    const bool enters_left = pair.enters_left(), enters_right = pair.enters_right();
    if (enters_left && enters_right) {
      const bool right_first = pair.right_is_nearer();
      at_ = pair.child(right_first);
      push(pair.child(!right_first), right_first ? pair.in_left.entry : pair.in_right.entry);
    } else if (enters_left || enters_right) {
      at_ = pair.child(enters_right);
    } else {
      pop();
    }
  }

  /// Up to `max_steps` steps, as long as it is at inner nodes.
  template <u32 max_steps, class Counter>
  [[gnu::always_inline]] COPSE_HD void take_steps(Counter& counter) {
#pragma unroll
    for (u32 k = 0; k < max_steps && is_at_inner(); ++k) step(counter);
  }

  template <class LeafTest, class Counter>
  [[gnu::always_inline]] COPSE_HD void test_leaf(LeafTest& leaf_test, Counter& counter) {
    counter.count_node();
    const float before = limit_;
    for (u32 place = at_.first, last = place + at_.count; place != last; ++place) {
      counter.count_primitive();
      if (test_place(tree_, leaf_test, place, limit_)) return end(false);
    }
    if (limit_ != before) box_limit_ = common_range_box_limit(slabs_, limit_);
    pop();
  }

 private:
  [[gnu::always_inline]] COPSE_HD void push(const WideChild& child, float entry) {
    if (top_ == stack_size || child.count >= stack_count_unknown) return end(true);
    entries_[top_++] = {child.first, (bits_of(entry) & ~stack_count_mask) | child.count};
  }

  /// Takes the latest entry within the limit. The lowest entry of the stack is before any limit and ends the
  /// traversal.
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

  BinaryTree tree_;
  StackEntry* entries_;
  RaySlabs slabs_{};
  float limit_ = 0, box_limit_ = 0;
  WideChild at_ = WideChild::nothing();
  u32 top_;
  bool gives_up_ = false;
};

/// The same for rays of any octant.
template <u32 stack_size>
class Walk<BinaryTree, stack_size, Robustness::fast> : public FastBinaryWalk<stack_size> {
 public:
  using FastBinaryWalk<stack_size>::FastBinaryWalk;
};

}  // namespace copse::detail
