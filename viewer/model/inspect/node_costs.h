#pragma once

#include <vector>

#include "viewer/model/inspect/host_copy.h"

namespace copse::viewer {

/// What a node and all below it cost.
struct NodeCost {
  double sah = 0;      // of the subtree, by the SAH: its share of the tree's cost
  double overlap = 0;  // area that pairs of its children share, over its own area; 0 for a leaf
  u64 primitives = 0;  // in the subtree
};

/// Returns the costs of all nodes of a tree, by their numbers; none of an empty tree. Nodes cost 1.2 and primitives 1,
/// as in stats(). The sum of the SAH cost of the tree is in `total`.
std::vector<NodeCost> node_costs(const TreeNodes& tree, double& total);

/// Returns the nodes from the root down to a node, both included.
std::vector<u32> path_to(const TreeNodes& tree, u32 node);

}  // namespace copse::viewer
