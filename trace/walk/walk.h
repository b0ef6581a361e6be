#pragma once

// The traversal of a tree of any layout by one ray, step by step, so that kernels can interleave many rays.
//
// It has no depth limit. It goes to the first child in visiting order and pushes the others on a small stack. When
// the stack is full, it drops its oldest entry. When the stack is empty after a drop, the traversal climbs the parent
// links from the node or leaf that it finished last. In every ancestor it computes the order of the children again,
// and goes on with the next child whose box is still within the limit. So it visits all dropped children, and no
// child twice:
//   - The order depends on the ray and the boxes alone, never on the hits so far. So it is the same on the way down and
//     in climbing.
//   - The child finished last is the last one in visiting order so far. So the siblings before it are finished, and the
//     siblings behind it have not been visited.
//   - A sibling that was skipped going down is skipped again, as the limit only falls.
// It climbs past each node at most once.

#include "trace/hit/intersect.h"
#include "trace/walk/binary_tree.h"
#include "trace/walk/robustness.h"
#include "trace/walk/traversal_stack.h"

namespace copse {

/// A counter that counts nothing, at no cost.
struct NoCounter {
  COPSE_HD void count_node() {}
  COPSE_HD void count_primitive() {}
};

/// Counts the nodes that a ray visits and the primitives that it is tested against. The leaves of a binary tree
/// are nodes, those of wide trees are not.
struct VisitCounter {
  u32 nodes = 0;
  u32 primitives = 0;
  COPSE_HD void count_node() { ++nodes; }
  COPSE_HD void count_primitive() { ++primitives; }
};

/// A leaf test that takes places among the tree's primitive ids instead of ids.
template <class LeafTest>
concept TakesPlaces = LeafTest::takes_places;

/// A leaf test that takes ids, which all structures have.
template <class LeafTest>
concept TakesIds = !TakesPlaces<LeafTest>;

namespace detail {

/// A place in a tree: the child to visit, and the node that holds it.
struct TreePlace {
  WideChild at;
  u32 node;
};

/// Finds the leaf with primitives from `first` on, in `node` or a node above it. Returns its slot in that node.
template <class Tree>
COPSE_HD inline u32 slot_of_leaf(const Tree& tree, u32& node, u32 first) {
  for (;;) {
    for (u32 slot = 0; slot < Tree::width; ++slot) {
      const WideChild child = tree.child(node, slot);
      if (child.is_leaf() && child.first == first) return slot;
    }
    u32 ignored;
    if (!tree.to_parent(node, ignored)) return 0;
  }
}

/// The number of primitives of the leaf that begins at `first`, in `node` or a node above it.
template <class Tree>
[[gnu::noinline]] COPSE_HD u32 leaf_count(Tree tree, u32 node, u32 first) {
  const u32 slot = slot_of_leaf(tree, node, first);
  return tree.child(node, slot).count;
}

/// The child of a node that is next in order after the one in `slot`, among those within the limit.
template <class Tree>
COPSE_HD inline WideChild next_sibling(const Tree& tree, const RaySlabs& slabs, float limit, u32 node, u32 slot) {
  const u64 before = Tree::order(tree.span(slabs, node, slot), slot);
  WideChild next = WideChild::nothing();
  u64 next_order = ~u64{0};
  for (u32 other = 0; other < Tree::width; ++other) {
    const WideChild child = tree.child(node, other);
    if (child.is_nothing()) continue;
    const BoxSpan span = tree.span(slabs, node, other);
    const u64 order = Tree::order(span, other);
    if (order <= before || order >= next_order || !is_within(span, limit)) continue;
    next = child;
    next_order = order;
  }
  return next;
}

/// The place to visit after `finished`. A finished leaf was found in `node` or above it. The function is out of line
/// and takes values: it is rarely needed, and taking addresses would force the ray out of registers.
template <class Tree>
[[gnu::noinline]] COPSE_HD TreePlace climb(Tree tree, RaySlabs slabs, float limit, WideChild finished, u32 node) {
  u32 slot = 0;
  if (finished.is_leaf()) {
    slot = slot_of_leaf(tree, node, finished.first);
  } else {
    node = finished.first;
    if (!tree.to_parent(node, slot)) return {WideChild::nothing(), node};
  }
  for (;;) {
    const WideChild next = next_sibling(tree, slabs, limit, node, slot);
    if (!next.is_nothing()) return {next, node};
    if (!tree.to_parent(node, slot)) return {WideChild::nothing(), node};
  }
}

/// Tests the primitive at a place. True if the test ends the traversal.
template <class Tree, class LeafTest>
[[gnu::always_inline]] COPSE_HD inline bool test_place(const Tree& tree, LeafTest& leaf_test, u32 place,
                                                       float& limit) {
  if constexpr (TakesPlaces<LeafTest>) {
    return leaf_test(place, limit);
  } else {
    return leaf_test(tree.primitive_ids[place], limit);
  }
}

/// Traverses until the walk is done.
template <class Walk, class LeafTest, class Counter>
[[gnu::always_inline]] COPSE_HD inline void walk_to_end(Walk& walk, LeafTest& leaf_test, Counter& counter) {
  while (!walk.is_done()) {
    if (walk.is_at_leaf()) {
      walk.test_leaf(leaf_test, counter);
    } else {
      walk.step(counter);
    }
  }
}

/// The state of one ray's traversal. Call begin. Then, until is_done, call step at an inner node and test_leaf at
/// a leaf. Fast traversals have this interface too, and gives_up(), since they do not climb
/// (trace/walk/binary_walk.h, trace/walk/wide_walk.h).
template <class Tree, u32 stack_size, Robustness robustness = Robustness::robust>
class Walk;

template <class Tree, u32 stack_size>
class Walk<Tree, stack_size, Robustness::robust> {
 public:
  /// `entries`: room for stack_size.
  COPSE_HD Walk(const Tree& tree, StackEntry* entries) : tree_(tree), stack_(entries) {}

  [[gnu::always_inline]] COPSE_HD void begin(const Ray& ray) {
    at_ = WideChild::nothing();
    limit_ = ray.t_max;
    if (!is_traceable(ray)) return;
    const Aabb bounds = tree_.bounds();
    if (is_empty(bounds)) return;
    slabs_ = make_slabs(ray, bounds);
    if (!slabs_.is_bounded) return;
    box_limit_ = box_limit(slabs_, limit_);
    if (!is_within(intersect_box(slabs_, bounds.lo, bounds.hi), box_limit_)) return;
    at_ = tree_.root();
    stack_.clear();
  }

  COPSE_HD bool is_done() const { return at_.is_nothing(); }
  COPSE_HD bool is_at_leaf() const { return at_.is_leaf(); }
  COPSE_HD bool is_at_inner() const { return at_.is_inner(); }
  COPSE_HD float limit() const { return limit_; }  // the ray's t_max, or as lowered by the leaf test

  /// At an inner node: goes on to its first child, or to what comes after the node.
  template <class Counter>
  [[gnu::always_inline]] COPSE_HD void step(Counter& counter) {
    counter.count_node();
    node_ = at_.first;
    at_ = tree_.descend(slabs_, box_limit_, node_, stack_);
    if (at_.is_nothing()) go_on({node_, 0});
  }

  /// At a leaf: tests its primitives and goes on, or ends the traversal if the test says so.
  template <class LeafTest, class Counter>
  [[gnu::always_inline]] COPSE_HD void test_leaf(LeafTest& leaf_test, Counter& counter) {
    if constexpr (Tree::width == 2) counter.count_node();
    const WideChild leaf = at_;
    const float before = limit_;
    for (u32 i = 0; i < leaf.count; ++i) {
      counter.count_primitive();
      if (test_place(tree_, leaf_test, leaf.first + i, limit_)) {
        at_ = WideChild::nothing();
        return;
      }
    }
    if (limit_ != before) box_limit_ = box_limit(slabs_, limit_);
    go_on(leaf);
  }

 private:
  [[gnu::always_inline]] COPSE_HD void go_on(const WideChild& finished) {
    if (stack_.pop(box_limit_, at_.first, at_.count)) {
      if (at_.count == stack_count_unknown) at_.count = leaf_count(tree_, node_, at_.first);
      return;
    }
    at_ = WideChild::nothing();
    if (!stack_.has_dropped()) return;
    const TreePlace place = climb(tree_, slabs_, box_limit_, finished, node_);
    at_ = place.at;
    node_ = place.node;
  }

  Tree tree_;
  RaySlabs slabs_{};
  float limit_ = 0, box_limit_ = 0;
  WideChild at_ = WideChild::nothing();
  u32 node_ = 0;  // the last node that was stepped through, or climbed to
  TraversalStack<stack_size> stack_;
};

/// Traverses a tree for one ray, from its beginning to its end, with no depth limit. Returns the last limit.
template <u32 stack_size = default_stack_size, class Tree, class LeafTest, class Counter>
COPSE_HD inline float traverse_robust(const Tree& tree, const Ray& ray, LeafTest& leaf_test, Counter& counter) {
  StackEntry entries[stack_size];
  Walk<Tree, stack_size> walk(tree, entries);
  walk.begin(ray);
  walk_to_end(walk, leaf_test, counter);
  return walk.limit();
}

}  // namespace detail

}  // namespace copse
