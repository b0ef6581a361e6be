#include "builders/bvh/hploc.h"

#include <algorithm>
#include <map>

#include "builders/bvh/hploc/hploc_cluster.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/stats.h"
#include "builders/geometry/morton.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse::test {

class Hploc : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Hploc);

std::vector<HplocOptions> hploc_options() {
  std::vector<HplocOptions> options = {{}};
  for (u32 radius : {1, 2, 3, 5, 8}) options.push_back({.radius = radius});
  for (u32 leaf : {1, 3, 8}) options.push_back({.morton_bits = 30, .max_leaf_size = leaf});
  options.push_back({.morton_bits = 63});
  options.push_back({.morton_bits = 48, .max_leaf_size = 4});
  return options;
}

std::string describe(const HplocOptions& options) {
  return "radius " + std::to_string(options.radius) + ", " + std::to_string(options.morton_bits) + " bits, leaf " +
         std::to_string(options.max_leaf_size);
}

/// The tree by its definition, from the top down over an LBVH of the same leaves: slow and obvious.
class SlowHploc {
 public:
  SlowHploc(const BvhCopy& lbvh, u32 radius) : lbvh_(lbvh), radius_(radius) {
    if (lbvh.counts.leaf_count == 0) return;
    nodes.resize(lbvh.counts.node_count);
    parents.resize(lbvh.counts.node_count / 2);
    std::vector<u32> leaf_nodes;
    for (u32 i = 0; i < lbvh.nodes.size(); ++i) {
      if (lbvh.nodes[i].is_leaf()) leaf_nodes.push_back(i);
    }
    std::ranges::sort(leaf_nodes, {}, [&](u32 node) { return lbvh.nodes[node].first; });
    for (u32 slot = 0; slot < leaf_nodes.size(); ++slot) slots_[leaf_nodes[slot]] = slot;
    place(clusters_of(0, 1).front(), 0);
  }
  std::vector<BvhNode> nodes;
  std::vector<u32> parents;

 private:
  struct Item {
    BvhNode node;
    u32 slot;
  };

  u32 leaves_below(u32 node) const {
    const BvhNode& n = lbvh_.nodes[node];
    return n.is_leaf() ? 1 : leaves_below(n.first) + leaves_below(n.first + 1);
  }

  std::vector<Item> clusters_of(u32 node, u32 max_left) {
    const BvhNode& n = lbvh_.nodes[node];
    if (n.is_leaf()) return {{n, slots_.at(node)}};
    std::vector<Item> items = clusters_of(n.first, 16);
    for (const Item& item : clusters_of(n.first + 1, 16)) items.push_back(item);
    const u32 size = leaves_below(node);
    if (size <= 16 && max_left == 16) return items;
    while (items.size() > max_left) items = merge_once(items, size <= 256 ? radius_ : 8);
    return items;
  }

  std::vector<Item> merge_once(const std::vector<Item>& items, u32 radius) {
    const u32 count = u32(items.size());
    std::vector<u32> nearest(count);
    for (u32 i = 0; i < count; ++i) {
      u32 lowest = ~0u;
      for (u32 j = i < radius ? 0 : i - radius; j < count && j <= i + radius; ++j) {
        if (j == i) continue;
        const u32 a = std::min(i, j), b = std::max(i, j);
        const u32 key = detail::neighbour_key(items[a].node.box(), items[b].node.box(), a, b - a);
        if (key < lowest) lowest = key, nearest[i] = j;
      }
    }
    std::vector<Item> left;
    for (u32 i = 0; i < count; ++i) {
      const u32 j = nearest[i];
      if (nearest[j] != i) {
        left.push_back(items[i]);
      } else if (i < j) {
        const u32 given_up = items[j].slot;
        EXPECT_LT(items[i].slot, given_up);
        place(items[i], 2 * given_up - 1);
        place(items[j], 2 * given_up);
        const Aabb box = copse::merge(items[i].node.box(), items[j].node.box());
        left.push_back({BvhNode::inner(box, 2 * given_up - 1), items[i].slot});
      }
    }
    EXPECT_LT(left.size(), items.size());
    return left;
  }

  void place(const Item& item, u32 node) {
    nodes[node] = item.node;
    if (!item.node.is_leaf()) parents[sibling_pair(item.node.first)] = node;
  }

  const BvhCopy& lbvh_;
  u32 radius_;
  std::map<u32, u32> slots_;
};

TEST_P(Hploc, IsTheTreeOfTheSortedLeavesByItsDefinition) {
  std::vector<NamedMesh> meshes = hard_meshes();
  meshes.push_back({"random 3000", generate_random(3000, 0.05f)});
  for (const NamedMesh& hard : meshes) {
    const DeviceMesh mesh(context(), hard.mesh);
    for (const HplocOptions& options : hploc_options()) {
      const BvhCopy lbvh(build(context(), mesh.view(), LbvhOptions{options.morton_bits, options.max_leaf_size}));
      const SlowHploc expected(lbvh, options.radius);
      const BvhCopy tree(build(context(), mesh.view(), options));
      ASSERT_EQ(tree.counts.leaf_count, lbvh.counts.leaf_count) << hard.name;
      ASSERT_TRUE(same_bytes(tree.primitive_ids, lbvh.primitive_ids)) << hard.name;
      if (tree.counts.leaf_count == 0) continue;
      ASSERT_TRUE(same_bytes(tree.nodes, expected.nodes)) << hard.name << ", " << describe(options);
      ASSERT_TRUE(same_bytes(tree.parents, expected.parents)) << hard.name << ", " << describe(options);
    }
  }
}

TEST_P(Hploc, CostsLessThanAnLbvh) {
  for (const Mesh& host : {generate_sphere(5), generate_hairball(100, 50)}) {
    const DeviceMesh mesh(context(), host);
    const double lbvh = stats(context(), build(context(), mesh.view(), LbvhOptions{})).sah_cost;
    for (u32 radius : {3, 4, 8}) {
      const double hploc =
          stats(context(), build(context(), mesh.view(), HplocOptions{.radius = radius})).sah_cost;
      EXPECT_LT(hploc, 0.97 * lbvh) << "radius " << radius;
    }
  }
}

TEST_P(Hploc, SizesAreKnownBeforehand) {
  for (u64 n : {0, 1, 2, 1000, 70000}) {
    const DeviceMesh mesh(context(), n == 0 ? Mesh{} : generate_random(n, 0.1f));
    for (const HplocOptions& options : hploc_options()) {
      Context fresh({.backend = GetParam(), .stream = context().stream()});
      const BuildSizes sizes = build_sizes(fresh, n, options);
      const Bvh bvh = build(fresh, mesh.view(), options);
      EXPECT_EQ(bvh.size_bytes(), sizes.result_bytes);
      EXPECT_EQ(fresh.scratch_bytes(), sizes.scratch_bytes) << n << ", " << describe(options);
    }
  }
}

TEST_P(Hploc, RefusesOptionsOutOfRange) {
  const DeviceMesh mesh(context(), generate_cube());
  const auto code = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(build(context(), mesh.view(), HplocOptions{.radius = 0}), code,
                     "radius is 0; it can be 1 to 8");
  EXPECT_COPSE_ERROR(build(context(), mesh.view(), HplocOptions{.radius = 9}), code, "9");
  EXPECT_COPSE_ERROR(build(context(), mesh.view(), HplocOptions{.morton_bits = 29}), code, "29");
}

}  // namespace copse::test
