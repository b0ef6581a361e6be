#pragma once

// The quick walk of a wide tree, step by step, with the interface of Walk. What it leaves out makes it quick: its
// stack drops nothing, so that there is nothing to count, and it does not climb. Entries of the stack are a node
// and a slot; what stands in the slot is read when the walk gets there.
//
// It gives up where the stack is full, and where times of planes might be no floats.

#include "trace/quick_spans.h"
#include "trace/walk.h"

namespace copse::detail {

template <class Node, u32 stack_size>
class Walk<WideTree<Node>, stack_size, Effort::quick> {
 public:
  using Tree = WideTree<Node>;

  /// `entries`: room for stack_size.
  COPSE_HD Walk(const Tree& tree, StackEntry* entries) : tree_(tree), entries_(entries) {}

  [[gnu::always_inline]] COPSE_HD void begin(const Ray& ray) {
    begin(make_ready<Tree::planes>(ray, tree_.bounds()));
  }

  [[gnu::always_inline]] COPSE_HD void begin(const ReadyRay& ready) {
    slabs_ = ready.slabs;
    limit_ = ready.limit;
    box_limit_ = ready.box_limit;
    top_ = 0;
    at_ = tree_.root();
    if (!ready.enters) end(ready.gives_up);
  }

  COPSE_HD bool is_done() const { return at_.count == done; }
  COPSE_HD bool is_at_inner() const { return at_.count == 0; }
  COPSE_HD bool is_at_leaf() const { return !is_done() && !is_at_inner(); }
  COPSE_HD bool gives_up() const { return is_done() && at_.first == 1; }
  COPSE_HD float limit() const { return limit_; }

  /// At an inner node: goes on to its first child, or to what waits on the stack.
  template <class Counter>
  [[gnu::always_inline]] COPSE_HD void step(Counter& counter) {
    counter.count_node();
    const bool holds_child = at_.first != invalid_id;  // else the slot that the walk went to holds nothing
    const u32 node = holds_child ? at_.first : 0;
    const float limit = holds_child ? box_limit_ : -1.0f;
    BoxSpan spans[width];
    find_spans(tree_.nodes[node], slabs_, spans);
    u32 keys[width];
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) {
      keys[slot] = is_within(spans[slot], limit) ? Tree::key(spans[slot], slot) : no_key;
    }
    sort_keys(keys);
#pragma unroll
    for (u32 k = width - 1; k > 0; --k) {
      if (keys[k] != no_key) entries_[top_++] = {node, keys[k]};
    }
    if (top_ > stack_size - width) return end(true);  // the next step would have no room
    StackEntry entry{node, keys[0]};
    if (keys[0] != no_key || pop(entry)) go_to(entry);
  }

  /// At a leaf: tests its primitives and goes on, or ends the walk where the test says so.
  template <class LeafTest, class Counter>
  [[gnu::always_inline]] COPSE_HD void test_leaf(LeafTest& leaf_test, Counter& counter) {
    const float before = limit_;
    for (u32 place = at_.first, last = place + at_.count; place != last; ++place) {
      counter.count_primitive();
      if (test_place(tree_, leaf_test, place, limit_)) return end(false);
    }
    if (limit_ != before) box_limit_ = box_limit(slabs_, limit_);
    StackEntry entry;
    if (pop(entry)) go_to(entry);
  }

 private:
  static constexpr u32 width = Node::width;
  static constexpr u32 done = ~u32{0};

  /// To the child that an entry names, by its node and its key.
  [[gnu::always_inline]] COPSE_HD void go_to(const StackEntry& entry) {
    at_ = child_in_slot(tree_.nodes[entry.first], entry.entry_and_count & (width - 1));
  }

  /// The latest that is within the limit. Where there is none the walk ends.
  [[gnu::always_inline]] COPSE_HD bool pop(StackEntry& entry) {
    while (top_ > 0) {
      entry = entries_[--top_];
      if (float_from_bits(entry.entry_and_count & ~(width - 1)) <= box_limit_) return true;
    }
    end(false);
    return false;
  }

  COPSE_HD void end(bool gives_up) {
    at_ = {gives_up ? 1u : 0u, done};
  }

  Tree tree_;
  StackEntry* entries_;
  RaySlabs slabs_{};
  float limit_ = 0, box_limit_ = 0;
  WideChild at_{0, done};  // an inner child that is invalid_id stands for a slot that holds nothing
  u32 top_ = 0;
};

}  // namespace copse::detail
