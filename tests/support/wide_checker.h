#pragma once

#include <gtest/gtest.h>

#include <set>
#include <type_traits>

#include "tests/support/wide_bvh.h"

namespace copse::test {

template <class Node>
inline constexpr bool is_compressed = !std::is_same_v<Node, Bvh4Node>;

/// Walks a wide tree from the root and checks everything that its contract promises. check() returns the exact
/// box.
template <class Node>
class WideChecker {
 public:
  WideChecker(const WideCopy<Node>& tree, const std::vector<Aabb>& boxes, u32 max_leaf_size)
      : tree_(tree), boxes_(boxes), max_leaf_size_(max_leaf_size) {
    EXPECT_EQ(tree.parents[0], invalid_id);
    check(0);
    EXPECT_EQ(visited_, tree.nodes.size());
    EXPECT_EQ(seen_.size(), tree.counts.primitive_count);
    for (u32 id = 0; id < boxes.size(); ++id) EXPECT_EQ(seen_.count(id), is_empty(boxes[id]) ? 0u : 1u);
  }

 private:
  Aabb check(u32 node) {
    ++visited_;
    const Node& n = tree_.nodes[node];
    Aabb all = Aabb::empty();
    u32 next_node = invalid_id, next_primitive = invalid_id, children = 0;
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = n.child(slot);
      if (child.is_nothing()) continue;
      ++children;
      Aabb exact = Aabb::empty();
      if (child.is_leaf()) {
        EXPECT_TRUE(next_primitive == invalid_id || next_primitive == child.first);
        next_primitive = child.first + child.count;
        EXPECT_LE(child.count, max_leaf_size_);
        if (next_primitive > tree_.counts.primitive_count) {
          ADD_FAILURE() << "leaf past the primitives";
          continue;
        }
        for (u32 k = 0; k < child.count; ++k) {
          const u32 id = tree_.primitive_ids[child.first + k];
          EXPECT_TRUE(seen_.insert(id).second) << "primitive " << id << " twice";
          exact = merge(exact, boxes_[id]);
        }
      } else {
        EXPECT_TRUE(next_node == invalid_id || next_node == child.first);
        next_node = child.first + 1;
        if (child.first >= tree_.nodes.size() || visited_ > tree_.nodes.size()) {
          ADD_FAILURE() << "child past the nodes";
          continue;
        }
        EXPECT_EQ(tree_.parents[child.first], node);
        exact = check(child.first);
      }
      const Aabb box = n.child_box(slot);
      if (is_compressed<Node>) {
        EXPECT_TRUE(contains(box, exact)) << "node " << node << " slot " << slot;
      } else {
        EXPECT_EQ(box, exact);
      }
      all = merge(all, exact);
    }
    EXPECT_TRUE(node == 0 || children >= 2);
    return all;
  }

  const WideCopy<Node>& tree_;
  const std::vector<Aabb>& boxes_;
  u32 max_leaf_size_;
  u64 visited_ = 0;
  std::set<u32> seen_;
};

}  // namespace copse::test
