#include "viewer/model/inspect/node_costs.h"

#include <algorithm>
#include <glm/common.hpp>

#include "builders/bvh/stats.h"

namespace copse::viewer {

namespace {

double area(const Aabb& box) {
  const dvec3 extent = glm::max(dvec3(box.hi) - dvec3(box.lo), dvec3(0));
  return 2 * (extent.x * extent.y + extent.y * extent.z + extent.z * extent.x);
}

/// The area of the box that two boxes share; 0 if they share none.
double shared_area(const Aabb& a, const Aabb& b) {
  const Aabb shared{glm::max(a.lo, b.lo), glm::min(a.hi, b.hi)};
  return is_valid(shared) ? area(shared) : 0;
}

std::span<const u32> children_of(const TreeNodes& tree, const TreeNode& node) {
  return std::span(tree.children).subspan(node.first_child, node.child_count);
}

double children_overlap(const TreeNodes& tree, const TreeNode& node) {
  const double own = area(node.box);
  const std::span<const u32> children = children_of(tree, node);
  double shared = 0;
  for (size_t i = 0; i < children.size(); ++i) {
    for (size_t j = 0; j < i; ++j) shared += shared_area(tree.nodes[children[i]].box, tree.nodes[children[j]].box);
  }
  return own > 0 ? shared / own : 0;
}

/// Parents before their children.
std::vector<u32> in_order(const TreeNodes& tree) {
  std::vector<u32> order;
  if (!tree.nodes.empty()) order.push_back(0);
  for (size_t i = 0; i < order.size(); ++i) {
    for (const u32 child : children_of(tree, tree.nodes[order[i]])) order.push_back(child);
  }
  return order;
}

}  // namespace

std::vector<NodeCost> node_costs(const TreeNodes& tree, double& total) {
  std::vector<NodeCost> costs(tree.nodes.size());
  const std::vector<u32> order = in_order(tree);
  const double root = tree.nodes.empty() ? 0 : area(tree.nodes[0].box);
  const SahCosts sah;
  for (size_t i = order.size(); i-- > 0;) {
    const TreeNode& node = tree.nodes[order[i]];
    NodeCost& cost = costs[order[i]];
    const double share = root > 0 ? area(node.box) / root : 0;
    cost.sah += share * (node.is_leaf() ? node.primitive_count * sah.intersection : sah.traversal);
    cost.primitives += node.primitive_count;
    cost.overlap = children_overlap(tree, node);
    if (order[i] == 0) continue;
    costs[node.parent].sah += cost.sah;
    costs[node.parent].primitives += cost.primitives;
  }
  total = costs.empty() ? 0 : costs[0].sah;
  for (NodeCost& cost : costs) cost.sah = total > 0 ? cost.sah / total : 0;
  return costs;
}

std::vector<u32> path_to(const TreeNodes& tree, u32 node) {
  std::vector<u32> path;
  for (u32 at = node; at < tree.nodes.size(); at = at == 0 ? invalid_id : tree.nodes[at].parent)
    path.push_back(at);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace copse::viewer
