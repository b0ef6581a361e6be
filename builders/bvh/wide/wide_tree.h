#pragma once

// Views of a wide tree: WideArrays for the collapse and the refit, which write it, and WideFamilies for walks up
// from its lowest nodes (tree_walk.h). A lowest node is one without inner children: leaves are slots, not nodes.

#include "builders/bvh/wide_bvh.h"

namespace copse::detail {

/// The memory of a wide tree, to be written.
template <class Node>
struct WideArrays {
  Node* nodes;
  u32* parents;
  u32* primitive_ids;
  WideBvhCounts* counts;
};

template <class Node>
WideArrays<Node> arrays_of(WideBvh<Node>& tree) {
  return {tree.nodes.data(), tree.parents.data(), tree.primitive_ids.data(), tree.counts.data()};
}

template <class Node>
COPSE_HD u32 inner_child_count(const Node& node) {
  u32 count = 0;
#pragma unroll
  for (u32 slot = 0; slot < Node::width; ++slot) count += node.child(slot).is_inner() ? 1 : 0;
  return count;
}

COPSE_HD inline u32 inner_child_count(const CompressedBvh8Node& node) {
  return population_count(node.inner_mask);
}

/// The number of a sibling group is that of its parent.
template <class Node>
struct WideFamilies {
  const Node* nodes;
  const u32* parents;

  COPSE_HD bool is_root(u32 node) const { return node == 0; }
  COPSE_HD u32 family(u32 node) const { return parents[node]; }
  COPSE_HD u32 family_size(u32 family) const { return inner_child_count(nodes[family]); }
  COPSE_HD u32 parent(u32 family) const { return family; }
};

}  // namespace copse::detail
