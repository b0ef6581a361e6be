#include "viewer/model/inspect/node_costs.h"

#include <numeric>

#include "tests/viewer/scenes.h"
#include "viewer/model/structures/leaf_depths.h"

namespace copse::test {
namespace {

using namespace viewer;

/// A root of two leaves whose boxes share a quarter of each.
TreeNodes two_leaves() {
  TreeNodes tree;
  tree.nodes.resize(3);
  tree.nodes[0] = {.box = {vec3(0), vec3(3, 1, 1)}, .first_child = 0, .child_count = 2};
  tree.nodes[1] = {
      .box = {vec3(0), vec3(2, 1, 1)}, .parent = 0, .depth = 1, .first_primitive = 0, .primitive_count = 3};
  tree.nodes[2] = {
      .box = {vec3(1, 0, 0), vec3(3, 1, 1)}, .parent = 0, .depth = 1, .first_primitive = 3, .primitive_count = 1};
  tree.children = {1, 2};
  tree.primitive_ids = {0, 1, 2, 3};
  tree.depth = 1;
  return tree;
}

TEST(NodeCosts, FollowTheSahAndTheSharedArea) {
  double total = 0;
  const std::vector<NodeCost> costs = node_costs(two_leaves(), total);
  // Areas: the root 14, each leaf 10, the cube that they share 6.
  EXPECT_NEAR(total, 1.2 + 10.0 / 14 * 4, 1e-9);
  EXPECT_NEAR(costs[0].sah, 1, 1e-9);
  EXPECT_NEAR(costs[1].sah, 10.0 / 14 * 3 / total, 1e-9);
  EXPECT_NEAR(costs[0].overlap, 6.0 / 14, 1e-9);
  EXPECT_EQ(costs[1].overlap, 0);
  EXPECT_EQ(costs[0].primitives, 4u);
  EXPECT_EQ(costs[2].primitives, 1u);
}

TEST(NodeCosts, AddUpToTheCostOfTheTree) {
  for (const Layout layout : {Layout::bvh2, Layout::bvh4}) {
    SmallSession s;
    s.session.wanted(0).layout = layout;
    s.session.build(0);
    s.session.finish();
    const TreeNodes* const tree = s.session.tree(0);
    ASSERT_NE(tree, nullptr);
    double total = 0;
    const std::vector<NodeCost> costs = node_costs(*tree, total);
    EXPECT_NEAR(total, *s.session.statistics(0).sah_cost, 1e-6 * total);
    EXPECT_EQ(costs[0].primitives, 1280u);
    EXPECT_EQ(s.session.node_costs(0).size(), costs.size());
  }
}

TEST(NodeCosts, AnEmptyTreeHasNone) {
  double total = 1;
  EXPECT_TRUE(node_costs({}, total).empty());
  EXPECT_EQ(total, 0);
  EXPECT_TRUE(path_to({}, 0).empty());
}

TEST(NodeCosts, GridsHaveNoNodes) {
  SmallSession s;
  s.session.wanted(0).kind = StructureKind::grid;
  s.session.build(0);
  s.session.finish();
  EXPECT_EQ(s.session.tree(0), nullptr);
  EXPECT_TRUE(s.session.node_costs(0).empty());
}

TEST(NodeCosts, PathLeadsFromTheRootToTheLeafThatWasPicked) {
  SmallSession s;
  s.session.pick(0.5f, 0.5f);
  ASSERT_TRUE(s.session.picked() && s.session.picked()->leaf != invalid_id);
  const TreeNodes& tree = *s.session.tree(0);
  const std::vector<u32> path = path_to(tree, s.session.picked()->leaf);
  EXPECT_EQ(path.front(), 0u);
  EXPECT_EQ(path.back(), s.session.picked()->leaf);
  for (size_t i = 1; i < path.size(); ++i) EXPECT_EQ(tree.nodes[path[i]].parent, path[i - 1]);
  EXPECT_EQ(path.size(), tree.nodes[path.back()].depth + 1u);
}

TEST(LeafDepths, CountEachLeafOnce) {
  const std::vector<u32> leaves{7, 7, 3, invalid_id, 9, 3}, depths{2, 2, 4, 0, 2, 4};
  EXPECT_EQ(leaves_by_depth(leaves, depths), (std::vector<u64>{0, 0, 2, 0, 1}));
  EXPECT_TRUE(leaves_by_depth({}, {}).empty());
}

TEST(LeafDepths, AreThoseOfTheTreeInEveryLayout) {
  for (u64 layout = 0; layout < names<Layout>().size(); ++layout) {
    SmallSession s;
    s.session.wanted(0).layout = Layout(layout);
    s.session.wanted(0).max_leaf_size = 3;
    s.session.build(0);
    s.session.finish();
    std::vector<u64> wanted;
    for (const TreeNode& node : s.session.tree(0)->nodes) {
      if (!node.is_leaf()) continue;
      if (node.depth >= wanted.size()) wanted.resize(node.depth + 1);
      ++wanted[node.depth];
    }
    EXPECT_EQ(s.session.statistics(0).leaf_depth_histogram, wanted) << name_of(Layout(layout));
    EXPECT_EQ(std::accumulate(wanted.begin(), wanted.end(), u64{0}), *s.session.statistics(0).leaf_count);
  }
}

}  // namespace
}  // namespace copse::test
