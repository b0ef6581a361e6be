#include "builders/bvh/stats.h"

#include <functional>

#include "builders/bvh/lbvh.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse::test {

class Stats : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Stats);

/// The same measures by a recursive walk from the root.
BvhStats slow_stats(const BvhCopy& tree, const SahCosts& costs) {
  BvhStats result;
  result.leaf_size_histogram.assign(1, 0);
  const double root = half_area(tree.nodes[0].box());
  const std::function<void(u32, u32)> visit = [&](u32 id, u32 depth) {
    const BvhNode& node = tree.nodes[id];
    result.depth = std::max(result.depth, depth);
    if (node.is_leaf()) {
      result.sah_cost += costs.intersection * node.count * half_area(node.box()) / root;
      if (result.leaf_size_histogram.size() <= node.count) result.leaf_size_histogram.resize(node.count + 1, 0);
      ++result.leaf_size_histogram[node.count];
      return;
    }
    result.sah_cost += costs.traversal * half_area(node.box()) / root;
    result.sibling_overlap +=
        half_area(intersection(tree.nodes[node.first].box(), tree.nodes[node.first + 1].box())) / root;
    visit(node.first, depth + 1);
    visit(node.first + 1, depth + 1);
  };
  if (tree.counts.node_count > 0) visit(0, 0);
  return result;
}

TEST_P(Stats, EqualARecursiveWalk) {
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    for (u32 leaf : {1, 4}) {
      const Bvh bvh = build(context(), mesh.view(), LbvhOptions{.max_leaf_size = leaf});
      for (const SahCosts& costs : {SahCosts{}, SahCosts{2, 3}}) {
        const BvhStats got = stats(context(), bvh, costs);
        const BvhStats expected = slow_stats(BvhCopy(bvh), costs);
        EXPECT_EQ(got.depth, expected.depth) << hard.name;
        EXPECT_EQ(got.leaf_size_histogram, expected.leaf_size_histogram) << hard.name;
        if (half_area(got.bounds) == 0) {
          EXPECT_EQ(got.sah_cost, 0) << hard.name;
          continue;
        }
        EXPECT_NEAR(got.sah_cost, expected.sah_cost, 1e-9 * expected.sah_cost) << hard.name;
        EXPECT_NEAR(got.sibling_overlap, expected.sibling_overlap, 1e-9 * (1 + expected.sibling_overlap))
            << hard.name;
      }
    }
  }
}

TEST_P(Stats, OfATreeThatIsKnown) {
  // Two unit cubes side by side with a delta of 1: root area 2 * (3 + 3 + 1), leaves 6 each.
  const std::vector<Aabb> boxes = {{vec3(0), vec3(1)}, {vec3(2, 0, 0), vec3(3, 1, 1)}};
  const Buffer<Aabb> buffer(context(), boxes);
  const BvhStats got = stats(context(), build(context(), BoxView{buffer.span()}, LbvhOptions{}));
  EXPECT_DOUBLE_EQ(got.sah_cost, 1.2 + 2 * 6.0 / 14.0);
  EXPECT_EQ(got.depth, 1u);
  EXPECT_EQ(got.counts.node_count, 3u);
  EXPECT_EQ(got.sibling_overlap, 0);
  EXPECT_EQ(got.leaf_size_histogram, (std::vector<u64>{0, 2}));
  EXPECT_TRUE(got.bounds == (Aabb{vec3(0), vec3(3, 1, 1)}));
}

}  // namespace copse::test
