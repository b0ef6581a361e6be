#pragma once

// The fast traversal of a wide tree for rays that look for any hit, with the interface of Walk. Its order does not
// depend on where the ray enters the children. So nothing is sorted, and the stack has one entry per node: the node,
// and a bit for each child still to be visited. This saves a third of the instructions of a step.
//
// The order matters nevertheless: a good one finds an occluder early. The nearest child first was the worst order
// that was tried: it searches all the small things around a ray's origin before the walls (bench/notes/rays-gpu.md).
// Here the far side comes first, as estimated from the slots. Builders put lower coordinates first, so that slots
// rise with the coordinates. A ray whose main direction is positive visits the highest slot first, others the lowest.
// With of_latest_exit, the child that the ray leaves last comes first, and the others follow by slot: this is faster
// for some rays that go in all directions. Batches on CUDA measure which order is faster.
//
// Source: Nah, Manocha, "SATO: Surface Area Traversal Order for Shadow Ray Tracing", Computer Graphics Forum 33,
// 2014, use a separate order for such rays. Theirs, the largest area first, was no better here than the slots alone.

#include "trace/walk/fast_spans.h"
#include "trace/walk/walk.h"

namespace copse::detail {

/// Which child of a node is visited first. The others follow in the order of their slots.
enum class FirstChild { of_far_slot, of_latest_exit };

template <class Node, u32 stack_size, FirstChild first_child = FirstChild::of_far_slot>
class UnorderedWalk {
 public:
  using Tree = WideTree<Node>;
  using Nodes = decltype(Tree::nodes);

  /// `entries`: room for stack_size.
  COPSE_HD UnorderedWalk(const Tree& tree, StackEntry* entries) : tree_(tree), entries_(entries) {}

  [[gnu::always_inline]] COPSE_HD void begin(const Ray& ray) {
    begin(prepare_ray(ray, TreeReach::of(tree_.bounds())));
  }

  [[gnu::always_inline]] COPSE_HD void begin(const PreparedRay& prepared) {
    take_over(tree_.nodes, prepared.slabs, prepared.limit, prepared.box_limit);
    top_ = base_ = 0;
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
  [[gnu::always_inline]] COPSE_HD u32 enter(const Nodes& nodes, const PreparedRay& prepared, u32 node) {
    base_ = top_;
    if (prepared.enters) {
      take_over(nodes, prepared.slabs, prepared.limit, prepared.box_limit);
      at_ = {node, 0};
    } else {
      at_.count = prepared.gives_up ? gave_up : done;
    }
    return base_;
  }

  /// Continues in the tree above, after the leaf at which enter was called.
  [[gnu::always_inline]] COPSE_HD void leave(const Nodes& nodes, const RaySlabs& slabs, float limit, u32 height) {
    take_over(nodes, slabs, limit, common_range_box_limit(slabs, limit));
    top_ = height;
    base_ = 0;
    go_on(0, 0);
  }

  /// At an inner node: goes on to one of its children, or to a child that waits on the stack.
  template <class Counter>
  [[gnu::always_inline]] COPSE_HD void step(Counter& counter) {
    take_steps<1>(counter);
  }

  /// Up to `max_steps` steps, as long as it is at inner nodes. Asks once whether the stack has room for all of
  /// them.
  template <u32 max_steps, class Counter>
  [[gnu::always_inline]] COPSE_HD void take_steps(Counter& counter) {
    if (is_at_inner() && top_ + max_steps > stack_size) at_.count = gave_up;
#pragma unroll
    for (u32 k = 0; k < max_steps && is_at_inner(); ++k) step_with_room(counter);
  }

  /// At a leaf: tests its primitives and goes on, or ends the traversal if the test says so.
  template <class LeafTest, class Counter>
  [[gnu::always_inline]] COPSE_HD void test_leaf(LeafTest& leaf_test, Counter& counter) {
    for (u32 place = at_.first, last = place + at_.count; place != last; ++place) {
      counter.count_primitive();
      if (test_place(tree_, leaf_test, place, limit_)) {
        at_.count = done;
        return;
      }
    }
    go_on(0, 0);
  }

 private:
  static constexpr u32 width = Node::width;
  static constexpr u32 done = ~u32{0}, gave_up = done - 1;  // in place of a count

  /// One over the component of the direction with the largest magnitude.
  COPSE_HD static float main_scale(const vec3& scale) {
    const float x = magnitude(scale.x), y = magnitude(scale.y), z = magnitude(scale.z);
    return x < y ? (x < z ? scale.x : scale.z) : (y < z ? scale.y : scale.z);
  }

  [[gnu::always_inline]] COPSE_HD void take_over(const Nodes& nodes, const RaySlabs& slabs, float limit,
                                                 float box_limit) {
    tree_.nodes = nodes;
    slabs_ = slabs;
    limit_ = limit;
    box_limit_ = box_limit;
    goes_down_ = main_scale(slabs_.scale) < 0;
  }

  template <class Counter>
  [[gnu::always_inline]] COPSE_HD void step_with_room(Counter& counter) {
    counter.count_node();
    const bool holds_child = at_.first != invalid_id;  // otherwise the chosen slot is empty
    const u32 node = holds_child ? at_.first : 0;
    const float limit = holds_child ? box_limit_ : -1.0f;
    BoxSpan spans[width];
    find_spans(tree_.nodes[node], slabs_, spans);
    u32 entered = 0;
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) {
      if (spans[slot].entry <= spans[slot].exit && spans[slot].entry <= limit) entered |= 1u << slot;
    }
    if (first_child == FirstChild::of_latest_exit && entered != 0) {
      go_to(node, entered, slot_of_latest_exit(spans, entered));
    } else {
      go_on(node, entered);
    }
  }

  /// The slot of the child, among those that are entered, that the ray leaves last.
  [[gnu::always_inline]] COPSE_HD static u32 slot_of_latest_exit(const BoxSpan (&spans)[width], u32 entered) {
    u32 latest = 0;
    float exit = -1.0f;
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) {
      const bool is_later = (entered >> slot & 1) != 0 && spans[slot].exit > exit;
      latest = is_later ? slot : latest;
      exit = is_later ? spans[slot].exit : exit;
    }
    return latest;
  }

  /// Goes to one of the children of `node` that have a bit in `entered`. If there is none, it goes on with the latest
  /// node on the stack.
  [[gnu::always_inline]] COPSE_HD void go_on(u32 node, u32 entered) {
    if (entered == 0) {
      if (top_ == base_) {
        at_.count = done;
        return;
      }
      --top_;
      node = entries_[top_].first;
      entered = entries_[top_].entry_and_count;
    }
    const u32 lowest = entered & (0u - entered);
    go_to(node, entered, 31 - leading_zeros(goes_down_ ? lowest : entered));
  }

  /// Goes to the child in `slot` of `node`, and leaves the others on the stack.
  [[gnu::always_inline]] COPSE_HD void go_to(u32 node, u32 entered, u32 slot) {
    const u32 others = entered ^ (1u << slot);
    if (others != 0) {
      entries_[top_] = {node, others};
      ++top_;
    }
    at_ = tree_.nodes[node].child(slot);
  }

  Tree tree_;
  StackEntry* entries_;
  RaySlabs slabs_{};
  float limit_ = 0, box_limit_ = 0;
  WideChild at_{0, done};   // an inner child invalid_id means an empty slot
  u32 top_ = 0;             // the number of entries
  u32 base_ = 0;            // entries below it belong to the tree above
  bool goes_down_ = false;  // along the axis of its largest component
};

}  // namespace copse::detail
