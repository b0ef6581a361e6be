#pragma once

// The best place for a subtree, by branch and bound.
//
//        apex            Node x leaves its parent, whose place its sibling s takes, and goes to the target t:
//       /    \           a new node around t and x stands where t stood. From the parent up to the apex boxes
//     ...    ...         shrink, from there down to t they grow. The apex, the lowest ancestor that x and t
//      |      |          share, keeps its box, and so does all above it.
//    parent   t    ->        new
//     / \                    / \ .
//    x   s                  t   x
//
// For every apex, from the parent on, the search looks for targets below the apex's child on the other side. The
// area saved on the way up pays for all growth on the way down and for the new node at the target. What is left
// bounds the gain farther down, since the new node has at least the area of x.
//
// If a node is no larger than x, a target below it is never better than the node itself: such a move would also
// pay for the growth of the node, and for a new node at least as large as x. So the search descends only into
// nodes that are larger than x, compared as floats. reinsert_moves.h relies on that: x moves only below larger
// nodes and its own ancestors.
//
// Source: Bittner, Hapala, Havran, "Fast Insertion-Based Optimization of Bounding Volume Hierarchies", CGF 32(1),
// 2013; Meister, Bittner, "Parallel Reinsertion for Bounding Volume Hierarchy Optimization", CGF 37(2), 2018,
// section 3.1. Where we differ: the search looks at both children of a node together, as they stand side by side.
// If both are worth a visit, the more promising one comes first. A search has a limit.

#include "builders/bvh/node.h"
#include "builders/bvh/reinsert/area_scale.h"

namespace copse::detail {

/// The move of a node.
struct Reinsertion {
  float gain = 0;  // the area that inner nodes lose by it; 0 if the node stays
  u32 target = invalid_id;
};

/// Steps after which a search ends. In trees of scenes a search takes 18 to 53 on average, one per level and a few
/// more. Few would take more than 64, up to 350. They gain nothing, but in a small tree all others would wait for
/// them. The limit also bounds searches in trees like chains, and among boxes that overlap everywhere.
inline constexpr u32 max_search_steps = 64;

/// Subtrees that may wait during the visit of their siblings; in trees of scenes there are up to 33. If there are
/// more, the less promising ones are left out.
inline constexpr u32 max_waiting_subtrees = 40;

/// The search for one node.
class ReinsertionSearch {
 public:
  ///   root: of the tree that has the node
  COPSE_HD ReinsertionSearch(const BvhNode* nodes, const u32* parents, u32 node, u32 root = 0)
      : nodes_(nodes),
        parents_(parents),
        node_(node),
        root_(root),
        box_(nodes[node].box()),
        scale_(AreaScale::of(nodes[root].box())),
        area_(scale_.quick_area(box_)) {}

  COPSE_HD Reinsertion run() {
    // The box of the apex's child on this side, with the node and without it. Once these agree, all above agree.
    Aabb with = box_, without = Aabb::empty();
    bool shrinks = true;
    float saved = 0;
    for (u32 child = node_; child != root_ && steps_ < max_search_steps; child = parents_[sibling_pair(child)]) {
      const u32 other = sibling(child);
      const BvhNode other_node = nodes_[other];
      // The parent goes; every other ancestor below the apex shrinks. Areas beyond all floats end the search.
      if (child == node_) saved = scale_.quick_area(merge(box_, other_node.box()));
      if (!(saved < infinity)) break;
      look_below(other, other_node, saved);
      if (!shrinks) continue;
      with = merge(with, other_node.box());
      without = merge(without, other_node.box());
      if (child != node_) saved += scale_.quick_area(with) - scale_.quick_area(without);
      shrinks = !(with == without);
    }
    return best_;
  }

 private:
  /// The children of a node, and the part of the saved area that is left above them.
  struct Subtree {
    float left;
    u32 children;  // the first of them; invalid_id if the search ends here
  };

  /// Considers a node as the target. `left`: the part of the saved area that is left above it.
  COPSE_HD Subtree consider(u32 target, const BvhNode& node, float left) {
    const float area = scale_.quick_area(node.box()), joined = scale_.quick_area(merge(node.box(), box_));
    const float gain = left - joined;
    if (gain > best_.gain) best_ = {gain, target};
    // A leaf that a refit has emptied has infinite area here, and so has a node of such leaves alone.
    const float left_below = left - max_number(0.0f, joined - area);
    return {left_below, !node.is_leaf() && area > area_ ? node.first : invalid_id};
  }

  /// Returns whether there may be a better gain below, where `left` is left.
  COPSE_HD bool promises(float left) const { return left - area_ > best_.gain; }
  COPSE_HD bool promises(const Subtree& subtree) const {
    return subtree.children != invalid_id && promises(subtree.left);
  }

  COPSE_HD void look_below(u32 top, const BvhNode& top_node, float saved) {
    ++steps_;
    if (!promises(saved)) return;
    Subtree waiting[max_waiting_subtrees];
    u32 waiting_count = 0;
    Subtree now = consider(top, top_node, saved);
    for (;;) {
      if (promises(now)) {
        if (++steps_ >= max_search_steps) return;
        const BvhNode left = nodes_[now.children], right = nodes_[now.children + 1];
        Subtree first = consider(now.children, left, now.left);
        Subtree second = consider(now.children + 1, right, now.left);
        if (promises(first) && promises(second) && waiting_count < max_waiting_subtrees) {
          waiting[waiting_count++] = second.left > first.left ? first : second;
        }
        now = !promises(first) || (promises(second) && second.left > first.left) ? second : first;
      } else {
        if (waiting_count == 0) return;
        now = waiting[--waiting_count];
      }
    }
  }

  const BvhNode* nodes_;
  const u32* parents_;
  u32 node_;
  u32 root_;
  Aabb box_;
  AreaScale scale_;
  float area_;
  Reinsertion best_;
  u32 steps_ = 0;
};

}  // namespace copse::detail
