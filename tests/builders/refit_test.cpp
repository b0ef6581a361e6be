#include "builders/bvh/refit.h"

#include <cmath>
#include <limits>

#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/sah.h"
#include "builders/bvh/validate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse::test {

class Refit : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Refit);

Mesh twisted(Mesh mesh) {
  for (vec3& p : mesh.positions) p = vec3(p.x + p.y * p.z, p.y * 1.5f - p.x, p.z - 0.25f * p.x * p.y);
  return mesh;
}

TEST_P(Refit, ChangesNothingWhereNothingMoved) {
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    Bvh bvh = build(context(), mesh.view(), LbvhOptions{.max_leaf_size = 2});
    const BvhCopy before(bvh);
    refit(context(), bvh, mesh.view());
    EXPECT_TRUE(same_bytes(before, BvhCopy(bvh))) << hard.name;
  }
}

TEST_P(Refit, BoxesAreTightAfterMoving) {
  for (u32 leaf : {1, 4}) {
    const Mesh host = generate_random(5000, 0.05f);
    DeviceMesh mesh(context(), host);
    Bvh bvh = build(context(), mesh.view(), LbvhOptions{.max_leaf_size = leaf});
    mesh.positions.upload(twisted(host).positions);
    EXPECT_FALSE(validate(context(), bvh, mesh.view()).is_valid());
    refit(context(), bvh, mesh.view());
    const ValidationReport report = validate(context(), bvh, mesh.view());
    EXPECT_TRUE(report.is_valid()) << report.message();
  }
}

TEST_P(Refit, PrimitiveThatIsNoNumberIsEmptyUntilItComesBack) {
  const Mesh host = generate_sphere(3);
  DeviceMesh mesh(context(), host);
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  const BvhCopy before(bvh);

  Mesh sick = host;
  for (u32 i = 0; i < sick.positions.size(); i += 5) sick.positions[i].y = std::numeric_limits<float>::quiet_NaN();
  mesh.positions.upload(sick.positions);
  refit(context(), bvh, mesh.view());
  EXPECT_TRUE(validate(context(), bvh, mesh.view(), true).is_valid());
  EXPECT_FALSE(validate(context(), bvh, mesh.view()).is_valid()) << "invalid primitives stand in leaves";
  for (const BvhNode& node : BvhCopy(bvh).nodes) ASSERT_FALSE(std::isnan(node.lo.y) || std::isnan(node.hi.y));

  mesh.positions.upload(host.positions);
  refit(context(), bvh, mesh.view());
  EXPECT_TRUE(same_bytes(before, BvhCopy(bvh)));
}

TEST_P(Refit, TakesBoxes) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < 300; ++i) boxes.push_back({vec3(float(i), 0, 0), vec3(float(i) + 2, 1, float(i % 7))});
  Buffer<Aabb> buffer(context(), boxes);
  Bvh bvh = build(context(), BoxView{buffer.span()}, LbvhOptions{});
  for (Aabb& box : boxes) box.hi.z += 3;
  boxes[17] = {vec3(2), vec3(1)};
  buffer.upload(boxes);
  refit(context(), bvh, BoxView{buffer.span()});
  EXPECT_TRUE(validate(context(), bvh, BoxView{buffer.span()}, true).is_valid());
}

TEST_P(Refit, CapturedRefitFollowsItsInput) {
  const Mesh host = generate_random(3000, 0.05f);
  DeviceMesh mesh(context(), host);
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  refit(context(), bvh, mesh.view());
  Graph graph = context().capture([&] { refit(context(), bvh, mesh.view()); });
  mesh.positions.upload(twisted(host).positions);
  graph.launch();
  EXPECT_TRUE(validate(context(), bvh, mesh.view()).is_valid());
}

TEST_P(Refit, ChainOfAnyDepthIsFitted) {
  // A chain: every inner node has a leaf on the left and the rest on the right. Split s lies after leaf s, so
  // the chain's inner nodes are the root and the nodes 2, 4, 6 and so on.
  const u32 n = 20000;
  std::vector<Aabb> boxes;
  for (u32 i = 0; i < n; ++i) boxes.push_back({vec3(float(i)), vec3(float(i) + 1)});
  const Buffer<Aabb> buffer(context(), boxes);
  Bvh bvh = build(context(), BoxView{buffer.span()}, LbvhOptions{});
  std::vector<BvhNode> nodes(node_capacity(n));
  std::vector<u32> parents(n - 1), ids(n);
  for (u32 i = 0; i < n; ++i) ids[i] = i;
  for (u32 s = 0; s + 1 < n; ++s) {
    const u32 own = s == 0 ? 0 : 2 * (s - 1) + 2;
    nodes[own] = BvhNode::inner(Aabb::empty(), 2 * s + 1);
    nodes[2 * s + 1] = BvhNode::leaf(Aabb::empty(), s, 1);
    parents[s] = own;
  }
  nodes[2 * (n - 2) + 2] = BvhNode::leaf(Aabb::empty(), n - 1, 1);
  bvh.nodes.upload(nodes);
  bvh.parents.upload(parents);
  bvh.primitive_ids.upload(ids);
  bvh.forget_deltas();
  refit(context(), bvh, BoxView{buffer.span()});
  const ValidationReport report = validate(context(), bvh, BoxView{buffer.span()});
  EXPECT_TRUE(report.is_valid()) << report.message();
}

/// Rebuilds the tree over other vertices, launches the graph after yet another move, and validates.
template <class Rebuild>
void expect_graph_follows(Context& context, Graph& graph, const Bvh& bvh, DeviceMesh& mesh, const Mesh& host,
                          const Rebuild& rebuild) {
  mesh.positions.upload(host.positions);
  rebuild();
  mesh.positions.upload(twisted(host).positions);
  graph.launch();
  const ValidationReport report = validate(context, bvh, mesh.view());
  EXPECT_TRUE(report.is_valid()) << report.message();
}

TEST_P(Refit, CapturedRefitFollowsTreesOfOtherBuilders) {
  for (u64 n : {1, 2, 3000, 20000}) {
    const Mesh host = generate_random(n, 0.05f);
    DeviceMesh mesh(context(), host);
    Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
    refit(context(), bvh, mesh.view());
    Graph graph = context().capture([&] { refit(context(), bvh, mesh.view()); });
    const auto expect = [&](const auto& rebuild) {
      expect_graph_follows(context(), graph, bvh, mesh, host, rebuild);
    };
    expect([&] { rebuild(context(), bvh, mesh.view(), HplocOptions{}); });
    expect([&] { rebuild(context(), bvh, mesh.view(), LbvhOptions{.max_leaf_size = 4}); });
    expect([&] { rebuild(context(), bvh, mesh.view(), LbvhOptions{}); });
    expect([&] { rebuild(context(), bvh, mesh.view(), SahOptions{}); });
  }
}

TEST_P(Refit, FollowsTreesThatGraphsRebuilt) {
  const Mesh host = generate_random(5000, 0.05f);
  DeviceMesh mesh(context(), host);
  Bvh bvh = build(context(), mesh.view(), HplocOptions{});
  rebuild(context(), bvh, mesh.view(), LbvhOptions{});
  Graph clusters = context().capture([&] { rebuild(context(), bvh, mesh.view(), HplocOptions{}); });
  Graph linear = context().capture([&] { rebuild(context(), bvh, mesh.view(), LbvhOptions{}); });
  const auto expect_fitted = [&] {
    mesh.positions.upload(twisted(host).positions);
    refit(context(), bvh, mesh.view());
    const ValidationReport report = validate(context(), bvh, mesh.view());
    EXPECT_TRUE(report.is_valid()) << report.message();
    mesh.positions.upload(host.positions);
  };
  expect_fitted();
  clusters.launch();
  expect_fitted();
  linear.launch();
  expect_fitted();
  rebuild(context(), bvh, mesh.view(), HplocOptions{});
  linear.launch();
  expect_fitted();
}

TEST_P(Refit, CompactCopiesAreFitted) {
  const Mesh host = generate_random(5000, 0.05f);
  DeviceMesh mesh(context(), host);
  Bvh bvh = compact_copy(context(), build(context(), mesh.view(), LbvhOptions{}));
  mesh.positions.upload(twisted(host).positions);
  refit(context(), bvh, mesh.view());
  EXPECT_TRUE(validate(context(), bvh, mesh.view()).is_valid());
  rebuild(context(), bvh, mesh.view(), LbvhOptions{});
  refit(context(), bvh, mesh.view());
  EXPECT_TRUE(validate(context(), bvh, mesh.view()).is_valid());
}

TEST_P(Refit, LargeTreesGetTheBoxesThatTheyWereBuiltWith) {
  for (u64 n : {262144, 262145, 700000}) {
    const DeviceMesh mesh(context(), generate_random(n, 0.01f));
    Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
    const BvhCopy before(bvh);
    spoil_boxes(bvh);
    refit(context(), bvh, mesh.view());
    ASSERT_TRUE(same_bytes(before, BvhCopy(bvh))) << n;
  }
}

TEST_P(Refit, RefusesAnotherNumberOfPrimitives) {
  const DeviceMesh mesh(context(), generate_cube()), other(context(), generate_sphere(1));
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  EXPECT_COPSE_ERROR(refit(context(), bvh, other.view()), ErrorCode::invalid_argument, "built over 12");
}

}  // namespace copse::test
