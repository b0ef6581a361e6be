#pragma once

// The fast traversal of a wide tree, step by step, with the interface of Walk. It is fast because it does less than
// the robust one: its stack drops no entries, so it need not count them, and it does not climb. A stack entry is a
// node and the key of a child. The remaining data of the child is read when the traversal goes there.
//
// A key is the time at which a child is entered, with the child's tag in place of the lowest byte
// (trace/walk/fast_spans.h):
//
//   0eeeeeee eeeeeeee eeeeeeee tttttttt
//
// As integers, keys sort in the order of visits, and they are compared with the key of the limit. The tag changes a
// time by at most 2^-15 of it, and the key of the limit is rounded up: a child may be visited in vain, and is never
// left out. The lowest entry of the stack is before every limit. It ends the traversal.
//
// The walk gives up if the stack is full, or if the times of planes might not be finite.
//
// At a leaf, a walk can enter another tree, and leave it again. Both trees share the stack. The entries of the lower
// tree are above an end entry of their own.

#include "trace/walk/fast_spans.h"
#include "trace/walk/walk.h"

namespace copse::detail {

template <class Node, u32 stack_size>
class Walk<WideTree<Node>, stack_size, Robustness::fast> {
 public:
  using Tree = WideTree<Node>;

  /// `entries`: room for stack_size.
  COPSE_HD Walk(const Tree& tree, StackEntry* entries) : tree_(tree), entries_(entries) {}

  [[gnu::always_inline]] COPSE_HD void begin(const Ray& ray) {
    begin(prepare_ray(ray, TreeReach::of(tree_.bounds())));
  }

  [[gnu::always_inline]] COPSE_HD void begin(const PreparedRay& prepared) {
    slabs_ = prepared.slabs;
    limit_ = prepared.limit;
    last_key_ = last_key(prepared.box_limit);
    entries_[0] = {0, end_key};
    top_ = 0;
    at_ = tree_.root();
    if (!prepared.enters) at_.count = prepared.gives_up ? gave_up : done;
  }

  COPSE_HD bool is_done() const { return at_.count >= gave_up; }
  COPSE_HD bool is_at_inner() const { return at_.count == 0; }
  COPSE_HD bool is_at_leaf() const { return !is_done() && !is_at_inner(); }
  COPSE_HD bool gives_up() const { return at_.count == gave_up; }
  COPSE_HD float limit() const { return limit_; }
  COPSE_HD const RaySlabs& slabs() const { return slabs_; }

  /// At a leaf: the place of its first primitive.
  COPSE_HD u32 place() const { return at_.first; }

  /// At a leaf: enters another tree at `node`, with the ray prepared for that tree. The walk is done when it is done
  /// there. Returns the height of the stack, for leave.
  [[gnu::always_inline]] COPSE_HD u32 enter(const Node* nodes, const PreparedRay& prepared, u32 node) {
    const u32 height = top_;
    if (prepared.enters && has_room(1)) {
      entries_[++top_] = {0, end_key};
      tree_.nodes = nodes;
      slabs_ = prepared.slabs;
      limit_ = prepared.limit;
      last_key_ = last_key(prepared.box_limit);
      at_ = {node, 0};
    } else {
      at_.count = prepared.gives_up || !has_room(1) ? gave_up : done;
    }
    return height;
  }

  /// Continues in the tree above, after the leaf at which enter was called.
  [[gnu::always_inline]] COPSE_HD void leave(const Node* nodes, const RaySlabs& slabs, float limit, u32 height) {
    tree_.nodes = nodes;
    slabs_ = slabs;
    limit_ = limit;
    last_key_ = last_key(common_range_box_limit(slabs_, limit_));
    top_ = height;
    go_to(pop());
  }

  /// At an inner node: goes on to its first child, or to the latest child on the stack.
  template <class Counter>
  [[gnu::always_inline]] COPSE_HD void step(Counter& counter) {
    if (!has_room(1)) return give_up();
    step_with_room(counter);
  }

  /// Up to `max_steps` steps, as long as it is at inner nodes. Asks once whether the stack has room for all of
  /// them.
  template <u32 max_steps, class Counter>
  [[gnu::always_inline]] COPSE_HD void take_steps(Counter& counter) {
    if (is_at_inner() && !has_room(max_steps)) give_up();
#pragma unroll
    for (u32 k = 0; k < max_steps && is_at_inner(); ++k) step_with_room(counter);
  }

  /// At a leaf: tests its primitives and goes on, or ends the traversal if the test says so.
  template <class LeafTest, class Counter>
  [[gnu::always_inline]] COPSE_HD void test_leaf(LeafTest& leaf_test, Counter& counter) {
    const float before = limit_;
    for (u32 place = at_.first, last = place + at_.count; place != last; ++place) {
      counter.count_primitive();
      if (test_place(tree_, leaf_test, place, limit_)) {
        at_.count = done;
        return;
      }
    }
    if (limit_ != before) last_key_ = last_key(common_range_box_limit(slabs_, limit_));
    go_to(pop());
  }

 private:
  static constexpr u32 width = Node::width;
  static constexpr u32 done = ChildTags<Node>::end_count, gave_up = done - 1;  // in place of a count
  static constexpr u32 tag_mask = 255, end_key = 0x80000000u | ChildTags<Node>::end_tag;
  static constexpr i32 before_all = -1;

  COPSE_HD static u32 key(const BoxSpan& span, const ChildTags<Node>& tags, u32 slot) {
    return pick_bytes(entry_key(span), tags.of_four(slot / 4), 0x3214u + slot % 4);
  }
  COPSE_HD static i32 last_key(float box_limit) {
    return i32(bits_of(box_limit) | tag_mask);
  }

  COPSE_HD bool has_room(u32 steps) const {
    return top_ < stack_size - steps * (width - 1);
  }
  COPSE_HD void give_up() {
    at_.count = gave_up;
  }

  template <class Counter>
  [[gnu::always_inline]] COPSE_HD void step_with_room(Counter& counter) {
    counter.count_node();
    const bool holds_child = at_.first != invalid_id;  // otherwise the popped slot is empty
    const u32 node = holds_child ? at_.first : 0;
    const i32 last = holds_child ? last_key_ : before_all;
    BoxSpan spans[width];
    const ChildTags<Node> tags = find_spans(tree_.nodes[node], slabs_, spans);
    u32 keys[width];
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) {
      keys[slot] = spans[slot].entry <= spans[slot].exit ? key(spans[slot], tags, slot) : no_key;
    }
    sort_keys(keys);
    push_behind_first(node, keys, last);
    StackEntry entry{node, keys[0]};
    if (i32(keys[0]) > last) entry = pop();
    go_to(entry);
  }

  /// Pushes the keys up to `last`, without the first key, so that the second key is on top. It computes one address
  /// for all of them.
  [[gnu::always_inline]] COPSE_HD void push_behind_first(u32 node, const u32 (&keys)[width], i32 last) {
    u32 count = 0;
#pragma unroll
    for (u32 k = 1; k < width; ++k) count = i32(keys[k]) <= last ? k : count;
    top_ += count;
    StackEntry* const behind = entries_ + top_ + 1;
#pragma unroll
    for (u32 k = 1; k < width; ++k) {
      if (i32(keys[k]) <= last) *(behind - k) = {node, keys[k]};
    }
  }

  /// Takes the latest entry within the limit, or the one that ends the traversal.
  [[gnu::always_inline]] COPSE_HD StackEntry pop() {
    StackEntry entry;
    do {
      entry = entries_[top_--];
    } while (i32(entry.entry_and_count) > last_key_);
    return entry;
  }

  /// Goes to the child that an entry names by its node and its key.
  [[gnu::always_inline]] COPSE_HD void go_to(const StackEntry& entry) {
    at_ = tagged_child(tree_.nodes[entry.first], entry.entry_and_count & tag_mask);
    if constexpr (!ChildTags<Node>::holds_count) {
      if (i32(entry.entry_and_count) < 0) at_.count = done;
    }
  }

  Tree tree_;
  StackEntry* entries_;
  RaySlabs slabs_{};
  float limit_ = 0;
  i32 last_key_ = 0;       // the largest key within the limit
  WideChild at_{0, done};  // an inner child invalid_id means an empty slot
  u32 top_ = 0;            // index of the latest entry
};

}  // namespace copse::detail
