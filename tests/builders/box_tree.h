#pragma once

#include <random>
#include <vector>

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/reinsert/reinsert_moves.h"
#include "tests/support/device_mesh.h"
#include "tests/support/host_tree.h"

namespace copse::test {

/// A tree of any topology in host memory, with a box per leaf.
struct BoxTree {
  std::vector<BvhNode> nodes;
  std::vector<u32> parents;
  std::vector<Aabb> boxes;
  BvhCounts counts;

  /// Leaves take the boxes in the order of their numbers.
  BoxTree(const HostTree& tree, const std::vector<Aabb>& leaf_boxes)
      : nodes(tree.size()), parents(tree.pair_parents()), boxes(leaf_boxes) {
    const u32 leaves = u32(boxes.size());
    counts = {2 * leaves - 1, leaves, leaves, 0};
    for (u32 i = 0, leaf = 0; i < nodes.size(); ++i) {
      if (!tree.is_leaf(i)) {
        nodes[i] = BvhNode::inner(Aabb::empty(), tree.first_children[i]);
      } else {
        nodes[i] = BvhNode::leaf(boxes[leaf], leaf, 1);
        ++leaf;
      }
    }
    fit();
  }

  void fit() {
    std::vector<u32> top_down = {0};
    for (u32 k = 0; k < top_down.size(); ++k) {
      const BvhNode& node = nodes[top_down[k]];
      if (!node.is_leaf()) top_down.insert(top_down.end(), {node.first, node.first + 1});
    }
    for (auto i = top_down.rbegin(); i != top_down.rend(); ++i) {
      BvhNode& node = nodes[*i];
      if (!node.is_leaf())
        node = BvhNode::inner(merge(nodes[node.first].box(), nodes[node.first + 1].box()), node.first);
    }
  }

  double inner_area() const {
    double sum = 0;
    for (const BvhNode& node : nodes) sum += node.is_leaf() ? 0 : half_area(node.box());
    return sum;
  }

  Bvh upload(Context& context) const {
    Bvh bvh = make_bvh(context, boxes.size());
    std::vector<u32> ids(boxes.size());
    std::iota(ids.begin(), ids.end(), 0u);
    bvh.nodes.upload(nodes);
    if (!parents.empty()) bvh.parents.upload(parents);
    bvh.primitive_ids.upload(ids);
    bvh.counts.upload(std::vector<BvhCounts>{counts});
    bvh.source_count = boxes.size();
    return bvh;
  }

  detail::ReinsertionPass pass(std::vector<detail::Reinsertion>& moves, std::vector<u64>& claims) {
    moves.assign(nodes.size(), {});
    claims.assign(nodes.size(), 0);
    return {{nodes.data(), parents.data(), nullptr, &counts, nullptr, nullptr, nullptr},
            moves.data(),
            claims.data(),
            {}};
  }
};

inline std::vector<Aabb> random_boxes(u32 count, u32 seed) {
  std::mt19937 random(seed);
  std::vector<Aabb> boxes(count);
  for (Aabb& box : boxes) {
    const auto coordinate = [&](u32 limit) { return float(random() % limit); };
    box.lo = vec3(coordinate(100), coordinate(100), coordinate(100));
    box.hi = box.lo + vec3(coordinate(30), coordinate(30), coordinate(30));
  }
  return boxes;
}

inline BoxTree random_box_tree(u32 leaves, u32 seed) {
  return {random_binary_tree(leaves, seed), random_boxes(leaves, seed)};
}

}  // namespace copse::test
