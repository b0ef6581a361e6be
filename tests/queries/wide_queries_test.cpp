// Queries through wide trees give the results of the binary tree.

#include <gtest/gtest.h>

#include "queries/point_inside.h"
#include "queries/wide_query_walk.h"
#include "tests/queries/query_oracle.h"

namespace copse {
namespace {

/// A wide tree on the host with uncompressed boxes: each node takes in the children of its children, the first
/// inner child first.
struct HostBvh4 {
  std::vector<Bvh4Node> nodes;
  std::vector<u32> parents, primitive_ids;
  WideBvhCounts counts{};

  explicit HostBvh4(const test::HostBvh& binary) : primitive_ids(binary.primitive_ids) {
    const BvhNode& root = binary.nodes[0];
    add_node(invalid_id);
    if (root.is_leaf()) {
      set(0, 0, root, {root.first, root.count});
    } else if (binary.counts.node_count > 0) {
      collapse(binary, 0, 0);
    }
    counts = {u32(nodes.size()), binary.counts.primitive_count, binary.counts.invalid_count};
  }

  Bvh4View view() const {
    return {{nodes.data(), nodes.size()},
            {parents.data(), parents.size()},
            {primitive_ids.data(), primitive_ids.size()},
            {&counts, 1}};
  }

 private:
  u32 add_node(u32 parent) {
    Bvh4Node node;
    for (u32 slot = 0; slot < 4; ++slot) {
      node.lo_x[slot] = node.lo_y[slot] = node.lo_z[slot] = infinity;
      node.hi_x[slot] = node.hi_y[slot] = node.hi_z[slot] = -infinity;
      node.first[slot] = invalid_id;
      node.count[slot] = 0;
    }
    nodes.push_back(node);
    parents.push_back(parent);
    return u32(nodes.size() - 1);
  }

  void set(u32 at, u32 slot, const BvhNode& child, const WideChild& stands) {
    Bvh4Node& node = nodes[at];
    node.lo_x[slot] = child.lo.x, node.lo_y[slot] = child.lo.y, node.lo_z[slot] = child.lo.z;
    node.hi_x[slot] = child.hi.x, node.hi_y[slot] = child.hi.y, node.hi_z[slot] = child.hi.z;
    node.first[slot] = stands.first;
    node.count[slot] = stands.count;
  }

  void collapse(const test::HostBvh& binary, u32 from, u32 at) {
    std::vector<u32> children{binary.nodes[from].first, binary.nodes[from].first + 1};
    for (u32 i = 0; i < children.size() && children.size() < 4;) {
      const BvhNode& child = binary.nodes[children[i]];
      if (child.is_leaf()) {
        ++i;
        continue;
      }
      children[i] = child.first;
      children.push_back(child.first + 1);
    }
    // With a delta among them, as other builders may leave.
    for (u32 i = 0; i < children.size(); ++i) {
      const u32 slot = children.size() < 4 ? 3 - i : i;
      const BvhNode& child = binary.nodes[children[i]];
      if (child.is_leaf()) {
        set(at, slot, child, {child.first, child.count});
      } else {
        const u32 node = add_node(at);
        set(at, slot, child, {node, 0});
        collapse(binary, children[i], node);
      }
    }
  }
};

struct KeepIds {
  std::vector<u32> ids;
  bool operator()(u32 id) {
    ids.push_back(id);
    return false;
  }
};

template <u32 stack_size>
void expect_same_answers(const Mesh& mesh, test::HostSplit split) {
  const TriangleView triangles = test::host_view(mesh);
  const test::HostBvh binary = test::build_host_bvh(triangles, 2, split);
  const HostBvh4 wide(binary);
  for (const vec3& point : test::difficult_points(mesh, 400, 1)) {
    const NearestPoint got = nearest_point<stack_size>(wide.view(), triangles, point);
    const NearestPoint expected = nearest_point(binary.view(), triangles, point);
    ASSERT_EQ(got.primitive, expected.primitive);
    ASSERT_EQ(got.distance, expected.distance);
    ASSERT_EQ(is_inside<stack_size>(wide.view(), triangles, point), is_inside(binary.view(), triangles, point));

    Neighbour neighbours[2][6];
    const u32 count = k_nearest<stack_size>(wide.view(), triangles, point, 0.4f, 6, neighbours[0]);
    ASSERT_EQ(count, k_nearest(binary.view(), triangles, point, 0.4f, 6, neighbours[1]));
    for (u32 i = 0; i < count; ++i) ASSERT_EQ(neighbours[0][i].primitive, neighbours[1][i].primitive);

    const Sphere sphere{point, 0.2f};
    KeepIds ids;
    for_each_overlap<stack_size>(wide.view(), triangles, sphere, ids);
    std::sort(ids.ids.begin(), ids.ids.end());
    ASSERT_EQ(ids.ids, test::brute_force_overlaps(test::all_triangles({triangles}), sphere));
  }
}

TEST(WideQueries, FindWhatTheBinaryTreeFinds) {
  for (const Mesh& mesh :
       {generate_random(300, 0.1f), generate_sphere(3), generate_cube(), generate_random(1, 0.5f)}) {
    expect_same_answers<32>(mesh, test::HostSplit::median);
  }
}

TEST(WideQueries, AStackOfOneEntryFindsTheSame) {
  expect_same_answers<1>(generate_random(300, 0.1f), test::HostSplit::median);
  expect_same_answers<1>(generate_sphere(2), test::HostSplit::median);
}

TEST(WideQueries, ChainsDeeperThanTheStackAreWalkedWhole) {
  expect_same_answers<32>(generate_random(400, 0.1f), test::HostSplit::chain);
}

TEST(WideQueries, ATreeWithoutPrimitivesHasNoAnswers) {
  const HostBvh4 wide(test::build_host_bvh(std::vector<Aabb>{}));
  const TriangleView none;
  EXPECT_FALSE(is_found(nearest_point(wide.view(), none, vec3(0))));
  EXPECT_FALSE(is_inside(wide.view(), none, vec3(0)));
  EXPECT_EQ(count_overlaps(wide.view(), none, Sphere{vec3(0), infinity}), 0u);
}

}  // namespace
}  // namespace copse
