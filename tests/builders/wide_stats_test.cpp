#include <functional>

#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/stats.h"
#include "tests/support/backends.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/wide_bvh.h"

namespace copse::test {

class WideStats : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(WideStats);

/// The same measures by a recursive walk from the root.
template <class Node>
WideBvhStats slow_stats(const WideCopy<Node>& tree, const Aabb& bounds, const SahCosts& costs) {
  WideBvhStats result;
  result.leaf_size_histogram.assign(1, 0);
  const double root = half_area(bounds);
  u64 children = 0;
  const std::function<void(u32, u32)> visit = [&](u32 id, u32 depth) {
    result.depth = std::max(result.depth, depth);
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = tree.nodes[id].child(slot);
      if (child.is_nothing()) continue;
      ++children;
      const double area = half_area(tree.nodes[id].child_box(slot)) / root;
      result.sah_cost += area * (child.is_inner() ? costs.traversal : costs.intersection * child.count);
      if (child.is_inner()) {
        visit(child.first, depth + 1);
        continue;
      }
      ++result.leaf_count;
      result.leaf_size_histogram.resize(std::max<size_t>(result.leaf_size_histogram.size(), child.count + 1), 0);
      ++result.leaf_size_histogram[child.count];
    }
  };
  visit(0, 1);
  result.sah_cost += costs.traversal;
  result.mean_children = double(children) / double(tree.nodes.size());
  return result;
}

template <class Tree>
void expect_equal_to_a_walk(Context& context, const NamedMesh& hard, const SahCosts& costs) {
  const DeviceMesh mesh(context, hard.mesh);
  const Tree tree = collapse<Tree>(context, build(context, mesh.view(), HplocOptions{}));
  const WideBvhStats got = stats(context, tree, costs);
  EXPECT_EQ(got.size_bytes, tree.size_bytes());
  EXPECT_EQ(got.counts.invalid_count, hard.invalid_count);
  if (got.counts.node_count == 0) {
    EXPECT_EQ(got.sah_cost, 0);
    EXPECT_EQ(got.used_bytes, 0u);
    return;
  }
  const WideBvhStats expected = slow_stats(WideCopy(tree), got.bounds, costs);
  EXPECT_EQ(got.used_bytes, compact_copy(context, tree).size_bytes() - 4 * u64{hard.invalid_count});
  EXPECT_EQ(got.depth, expected.depth) << hard.name;
  EXPECT_EQ(got.leaf_count, expected.leaf_count) << hard.name;
  EXPECT_EQ(got.leaf_size_histogram, expected.leaf_size_histogram) << hard.name;
  EXPECT_NEAR(got.mean_children, expected.mean_children, 1e-12) << hard.name;
  if (half_area(got.bounds) == 0) {
    EXPECT_EQ(got.sah_cost, 0) << hard.name;
  } else if (hard.name != "whole range") {
    EXPECT_NEAR(got.sah_cost, expected.sah_cost, 1e-9 * expected.sah_cost) << hard.name;
  }
  EXPECT_TRUE(got.sah_cost >= 0 && got.sah_cost < 1e30) << hard.name << ": " << got.sah_cost;
}

TEST_P(WideStats, EqualARecursiveWalk) {
  for (const NamedMesh& hard : hard_meshes()) {
    for (const SahCosts& costs : {SahCosts{}, SahCosts{2, 3}}) {
      expect_equal_to_a_walk<Bvh4>(context(), hard, costs);
      expect_equal_to_a_walk<CompressedBvh4>(context(), hard, costs);
      expect_equal_to_a_walk<CompressedBvh8>(context(), hard, costs);
    }
  }
}

TEST_P(WideStats, CompressionCostsLittleAndWidthSavesNodes) {
  const DeviceMesh mesh(context(), generate_random(20000, 0.02f));
  const Bvh bvh = build(context(), mesh.view(), HplocOptions{});
  const WideBvhStats full = stats(context(), collapse<Bvh4>(context(), bvh));
  const WideBvhStats narrow = stats(context(), collapse<CompressedBvh4>(context(), bvh));
  const WideBvhStats wide = stats(context(), collapse<CompressedBvh8>(context(), bvh));
  EXPECT_GT(narrow.sah_cost, full.sah_cost);
  EXPECT_LT(narrow.sah_cost, 1.05 * full.sah_cost);
  EXPECT_LT(wide.sah_cost, narrow.sah_cost);
  EXPECT_LT(wide.counts.node_count, narrow.counts.node_count);
  EXPECT_LT(wide.used_bytes, full.used_bytes / 2);
}

}  // namespace copse::test
