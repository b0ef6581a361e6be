#include "trace/tree_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/pack_triangles.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/trace/oracle.h"
#include "trace/count_visits.h"
#include "trace/traverse.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::difficult_rays;
using test::host_view;

bool holds(const Aabb& outer, const Aabb& inner) {
  for (int axis = 0; axis < 3; ++axis) {
    if (inner.lo[axis] < outer.lo[axis] || inner.hi[axis] > outer.hi[axis]) return false;
  }
  return true;
}

/// Every triangle is in one leaf, whose box holds it. Parents, children and depths agree.
void expect_tree_over(const TreeNodes& tree, const TriangleView& triangles) {
  ASSERT_EQ(tree.nodes.size(), tree.children.size() + 1) << "each node but the root is a child once";
  std::vector<u32> seen(triangles.triangle_count());
  u32 deepest = 0;
  for (u32 number = 0; number < tree.nodes.size(); ++number) {
    const TreeNode& node = tree.nodes[number];
    ASSERT_NE(node.is_leaf(), node.child_count > 0) << "node " << number;
    deepest = std::max(deepest, node.depth);
    for (u32 k = 0; k < node.child_count; ++k) {
      const TreeNode& child = tree.nodes[tree.children[node.first_child + k]];
      ASSERT_EQ(child.parent, number);
      ASSERT_EQ(child.depth, node.depth + 1);
    }
    for (u32 k = 0; k < node.primitive_count; ++k) {
      const u32 id = tree.primitive_ids[node.first_primitive + k];
      ++seen[id];
      ASSERT_TRUE(holds(node.box, bounds(load_triangle(triangles, id)))) << "triangle " << id;
    }
  }
  EXPECT_EQ(tree.nodes[0].parent, invalid_id);
  EXPECT_EQ(tree.depth, deepest);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1u), int64_t(seen.size()));
}

class TreeCopies : public test::OnEachBackend {
 protected:
  Mesh mesh_ = generate_random(500, 0.1f);

  /// Calls check(tree, view) for a tree of each layout.
  template <class Check>
  void in_all_layouts(const Mesh& mesh, const Check& check) {
    const DeviceMesh device(context(), mesh);
    const Bvh bvh = build(context(), device.view(), HplocOptions{});
    ASSERT_NO_FATAL_FAILURE(check(device, bvh.view()));
    ASSERT_NO_FATAL_FAILURE(check(device, collapse<Bvh4>(context(), bvh).view()));
    ASSERT_NO_FATAL_FAILURE(check(device, collapse<CompressedBvh4>(context(), bvh).view()));
    ASSERT_NO_FATAL_FAILURE(check(device, collapse<CompressedBvh8>(context(), bvh).view()));
  }

  std::vector<VisitCounter> count(const TreeView& tree, const PackedTriangles& packed,
                                  const std::vector<Ray>& rays) {
    const Buffer<Ray> batch(context(), rays);
    Buffer<VisitCounter> visits(context(), rays.size());
    count_visits(context(), tree, packed.view(), batch.span(), visits.span());
    return visits.download();
  }
};

TEST_P(TreeCopies, HaveEveryTriangleInTheBoxOfItsLeaf) {
  in_all_layouts(mesh_, [&](const DeviceMesh&, const auto& view) {
    expect_tree_over(TreeCopy(context(), view).nodes(), host_view(mesh_));
  });
}

TEST_P(TreeCopies, OfNoTrianglesHaveNoNodes) {
  Mesh nothing = mesh_;
  nothing.triangles.clear();
  in_all_layouts(nothing, [&](const DeviceMesh&, const auto& view) {
    const TreeCopy copy(context(), view);
    EXPECT_TRUE(copy.nodes().nodes.empty());
    const TreeWalk walk = copy.walk(host_view(nothing), difficult_rays(mesh_, 1, 1)[0]);
    EXPECT_FALSE(is_hit(walk.hit));
    EXPECT_TRUE(walk.nodes.empty());
  });
}

/// A walk goes from parents to children, and ends with the hit that any traversal finds.
TEST_P(TreeCopies, RecordWhereRaysGo) {
  const std::vector<Ray> rays = difficult_rays(mesh_, 300, 2);
  const std::vector<Hit> expected = test::brute_force_hits({host_view(mesh_)}, rays);
  in_all_layouts(mesh_, [&](const DeviceMesh&, const auto& view) {
    const TreeCopy copy(context(), view);
    const std::vector<TreeNode>& nodes = copy.nodes().nodes;
    for (size_t i = 0; i < rays.size(); ++i) {
      const TreeWalk walk = copy.walk(host_view(mesh_), rays[i]);
      ASSERT_TRUE(test::same_bits(walk.hit, expected[i])) << test::text(rays[i]);
      std::vector<bool> is_seen(nodes.size());
      u32 tests = 0;
      for (const u32 node : walk.nodes) {
        ASSERT_FALSE(is_seen[node]) << "visited twice";
        ASSERT_TRUE(nodes[node].depth == 0 || is_seen[nodes[node].parent]);
        is_seen[node] = true;
        tests += nodes[node].primitive_count;
      }
      ASSERT_EQ(walk.primitive_tests, tests);
      ASSERT_EQ(walk.leaf != invalid_id, is_hit(walk.hit));
      if (!is_hit(walk.hit)) continue;
      ASSERT_TRUE(is_seen[walk.leaf]);
      const TreeNode& leaf = nodes[walk.leaf];
      const u32* const ids = copy.nodes().primitive_ids.data() + leaf.first_primitive;
      ASSERT_NE(std::find(ids, ids + leaf.primitive_count, walk.hit.primitive), ids + leaf.primitive_count);
    }
  });
}

TEST_P(TreeCopies, WalkThroughPackedTrianglesAsThroughFetchedOnes) {
  const std::vector<Ray> rays = difficult_rays(mesh_, 100, 3);
  in_all_layouts(mesh_, [&](const DeviceMesh& device, const auto& view) {
    const TreeCopy copy(context(), view);
    const std::vector<PackedTriangle> packed =
        pack_triangles(context(), view, device.view()).triangles.download(mesh_.triangles.size());
    for (const Ray& ray : rays) {
      const TreeWalk one = copy.walk(host_view(mesh_), ray);
      const TreeWalk other = copy.walk(BufferSpan<const PackedTriangle>(packed.data(), packed.size()), ray);
      ASSERT_TRUE(test::same_bits(one.hit, other.hit)) << test::text(ray);
      ASSERT_EQ(one.nodes, other.nodes);
      ASSERT_EQ(one.leaf, other.leaf);
    }
  });
}

/// The counts of a batch are those of walks on the host. The GPU may enter a box more or less, at its very edge.
TEST_P(TreeCopies, AgreeWithTheVisitsOfABatch) {
  const std::vector<Ray> rays = difficult_rays(mesh_, 300, 4);
  in_all_layouts(mesh_, [&](const DeviceMesh& device, const auto& view) {
    const TreeCopy copy(context(), view);
    const PackedTriangles packed = pack_triangles(context(), view, device.view());
    const std::vector<VisitCounter> visits = count(view, packed, rays);
    const bool is_binary = TreeView(view).index() == 0;
    double counted = 0, walked = 0;
    for (size_t i = 0; i < rays.size(); ++i) {
      const TreeWalk walk = copy.walk(host_view(mesh_), rays[i]);
      const std::vector<TreeNode>& nodes = copy.nodes().nodes;
      const u32 node_count = u32(std::count_if(walk.nodes.begin(), walk.nodes.end(),
                                               [&](u32 node) { return is_binary || !nodes[node].is_leaf(); }));
      counted += visits[i].nodes + visits[i].primitives, walked += node_count + walk.primitive_tests;
      if (context().backend() == Backend::cuda) continue;
      ASSERT_EQ(visits[i].nodes, node_count) << test::text(rays[i]);
      ASSERT_EQ(visits[i].primitives, walk.primitive_tests) << test::text(rays[i]);
    }
    EXPECT_GT(counted, 300);
    EXPECT_LT(std::abs(counted - walked), 0.01 * walked);
  });
}

TEST_P(TreeCopies, RefuseTreesThatWereNeverBuiltAndOtherTriangles) {
  EXPECT_COPSE_ERROR(TreeCopy(context(), Bvh().view()), ErrorCode::invalid_argument, "the tree has 0 nodes");
  const DeviceMesh device(context(), mesh_);
  const Bvh bvh = build(context(), device.view(), HplocOptions{});
  const Bvh4 wide = collapse<Bvh4>(context(), bvh);
  const PackedTriangles packed = pack_triangles(context(), bvh.view(), device.view());
  const std::vector<Ray> rays = difficult_rays(mesh_, 3, 5);
  EXPECT_COPSE_ERROR(count(wide.view(), packed, rays), ErrorCode::invalid_argument, "packed for another tree");
  const Buffer<Ray> batch(context(), rays);
  Buffer<VisitCounter> visits(context(), 2);
  EXPECT_COPSE_ERROR(count_visits(context(), bvh.view(), packed.view(), batch.span(), visits.span()),
                     ErrorCode::invalid_argument, "there is room for 2 results, but the number of rays is 3");
}

COPSE_ON_EACH_BACKEND(TreeCopies);

}  // namespace
}  // namespace copse
