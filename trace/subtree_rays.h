#pragma once

// Rays through the subtree below one node. Hits there are those of the whole tree, bit for bit.

#include "trace/traverse.h"

namespace copse::detail {

/// A tree whose root is one of the nodes of another tree. Climbing ends there.
template <class Node>
struct Subtree : WideTree<Node> {
  u32 top;

  COPSE_HD Subtree(const WideBvhView<Node>& bvh, u32 node) : WideTree<Node>(bvh), top(node) {}

  COPSE_HD WideChild root() const { return {top, 0}; }
  COPSE_HD bool to_parent(u32& node, u32& slot) const {
    return node != top && WideTree<Node>::to_parent(node, slot);
  }
};

/// As traverse(bvh, ray, leaf_test), for the leaves below `node` alone.
template <u32 stack_size, class Node, class LeafTest>
COPSE_HD inline float traverse_below(const WideBvhView<Node>& bvh, u32 node, const Ray& ray, LeafTest& leaf_test) {
  NoCounter counter;
  return traverse_robust<stack_size>(Subtree<Node>(bvh, node), ray, leaf_test, counter);
}

/// As closest_hit(bvh, triangles, ray), for the leaves below `node` alone.
template <u32 stack_size, class Node, class Triangles>
COPSE_HD inline Hit closest_hit_below(const WideBvhView<Node>& bvh, u32 node, const Triangles& triangles,
                                      const Ray& ray) {
  const auto source = triangles_of(triangles);
  ClosestTriangle closest(source, ray);
  return closest.hit(traverse_below<stack_size>(bvh, node, ray, closest));
}

/// As any_hit(bvh, triangles, ray), for the leaves below `node` alone.
template <u32 stack_size, class Node, class Triangles>
COPSE_HD inline bool any_hit_below(const WideBvhView<Node>& bvh, u32 node, const Triangles& triangles,
                                   const Ray& ray) {
  const auto source = triangles_of(triangles);
  AnyTriangle any(source, ray);
  traverse_below<stack_size>(bvh, node, ray, any);
  return any.found;
}

}  // namespace copse::detail
