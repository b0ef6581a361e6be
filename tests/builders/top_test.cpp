#include "builders/bvh/top.h"

#include <algorithm>
#include <limits>

#include "builders/bvh/build.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/stats.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse::test {

class TreeTop : public OnEachBackend {
 protected:
  double cost(const Bvh& bvh) { return stats(context(), bvh).sah_cost; }
};
COPSE_ON_EACH_BACKEND(TreeTop);

const AnyBuildOptions builders_without_splits[] = {LbvhOptions{}, LbvhOptions{.max_leaf_size = 4}, HplocOptions{},
                                                   SahOptions{}};

TEST_P(TreeTop, TreesStayValidAndTheirCostDoesNotRise) {
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    for (const AnyBuildOptions& options : builders_without_splits) {
      Bvh bvh = build(context(), mesh.view(), options);
      const double before = cost(bvh);
      rebuild_top(context(), bvh);
      const ValidationReport report = validate(context(), bvh, mesh.view());
      EXPECT_TRUE(report.is_valid()) << hard.name << ": " << report.message();
      EXPECT_LE(cost(bvh), before * (1 + 1e-6)) << hard.name;
    }
  }
}

TEST_P(TreeTop, EverySizeUpToManyClustersIsValid) {
  for (u64 n : {0, 1, 2, 3, 4, 5, 33, 8191, 8192, 8193, 16383, 16384, 16385, 60000}) {
    const DeviceMesh mesh(context(), generate_random(n, 0.05f));
    Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
    rebuild_top(context(), bvh);
    EXPECT_TRUE(validate(context(), bvh, mesh.view()).is_valid()) << n;
  }
}

TEST_P(TreeTop, ClosesHalfOfTheGapToSah) {
  const DeviceMesh mesh(context(), generate_sphere(6));
  const double sah = cost(build(context(), mesh.view(), SahOptions{}));
  for (const AnyBuildOptions& options : {AnyBuildOptions{LbvhOptions{}}, AnyBuildOptions{HplocOptions{}}}) {
    Bvh bvh = build(context(), mesh.view(), options);
    const double before = cost(bvh);
    rebuild_top(context(), bvh);
    EXPECT_LT(cost(bvh), (before + sah) / 2);
  }
}

TEST_P(TreeTop, TreesAreEqualOnBothBackends) {
  Context cpu({.backend = Backend::cpu});
  const auto tree = [](Context& one, const Mesh& host, const AnyBuildOptions& options) {
    const DeviceMesh mesh(one, host);
    Bvh bvh = build(one, mesh.view(), options);
    rebuild_top(one, bvh);
    return BvhCopy(bvh);
  };
  for (const Mesh& host : {generate_sphere(5), generate_random(40000, 0.02f), generate_random(500, 0.5f)}) {
    for (const AnyBuildOptions& options : builders_without_splits) {
      const BvhCopy expected = tree(cpu, host, options);
      EXPECT_TRUE(same_bytes(tree(context(), host, options), expected));
      EXPECT_TRUE(same_bytes(tree(context(), host, options), expected)) << "the second time";
    }
  }
}

TEST_P(TreeTop, RefitsAndGraphsTakeTheNewTree) {
  const Mesh rest = generate_sphere(6);
  Mesh moved = rest;
  for (vec3& p : moved.positions) p = vec3(p.x, p.y * 1.5f, p.z + 0.1f * p.x);
  DeviceMesh mesh(context(), rest);
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  const auto frame = [&] {
    rebuild(context(), bvh, mesh.view(), LbvhOptions{});
    rebuild_top(context(), bvh);
  };
  frame();
  const BvhCopy expected(bvh);
  Graph graph = context().capture(frame);
  for (int repeat = 0; repeat < 3; ++repeat) {
    graph.launch();
    EXPECT_TRUE(same_bytes(BvhCopy(bvh), expected)) << repeat;
  }
  mesh.positions.upload(moved.positions);
  refit(context(), bvh, mesh.view());
  EXPECT_TRUE(validate(context(), bvh, mesh.view(), true).is_valid());
  EXPECT_EQ(BvhCopy(bvh).parents, expected.parents);
}

TEST_P(TreeTop, ATreeWithEmptiedLeavesStaysValid) {
  Mesh host = generate_random(300, 0.05f);
  DeviceMesh mesh(context(), host);
  Bvh bvh = build(context(), mesh.view(), HplocOptions{});
  for (u64 i = 0; i < 90; ++i) host.positions[i] = vec3(std::numeric_limits<float>::quiet_NaN());
  mesh.positions.upload(host.positions);
  refit(context(), bvh, mesh.view());
  rebuild_top(context(), bvh);
  EXPECT_TRUE(validate(context(), bvh, mesh.view(), true).is_valid());
}

TEST_P(TreeTop, BuildersMakeItThemselves) {
  const DeviceMesh mesh(context(), generate_sphere(6));
  const std::pair<AnyBuildOptions, AnyBuildOptions> options[] = {
      {LbvhOptions{}, LbvhOptions{.top = Top::sah}},
      {HplocOptions{.max_leaf_size = 2}, HplocOptions{.max_leaf_size = 2, .top = Top::sah}}};
  for (const auto& [plain, with_top] : options) {
    Bvh expected = build(context(), mesh.view(), plain);
    rebuild_top(context(), expected);
    Context fresh({.backend = GetParam(), .stream = context().stream()});
    Bvh bvh = build(fresh, mesh.view(), with_top);
    EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(expected)));
    EXPECT_EQ(fresh.scratch_bytes(), build_sizes(fresh, mesh.view().triangle_count(), with_top).scratch_bytes);
    const std::vector<BvhNode> nodes = BvhCopy(bvh).nodes;
    spoil_boxes(bvh);
    refit(context(), bvh, mesh.view());
    EXPECT_TRUE(same_bytes(BvhCopy(bvh).nodes, nodes));
  }
  EXPECT_COPSE_ERROR(build(context(), mesh.view(), LbvhOptions{.top = Top(2)}), ErrorCode::invalid_argument,
                     "top is 2");
}

TEST_P(TreeTop, WorksWithTheLastOrder) {
  const Mesh rest = generate_sphere(6);
  Mesh moved = rest;
  for (vec3& p : moved.positions) p.y += 0.01f * p.x;
  const DeviceMesh mesh(context(), rest), after(context(), moved);
  const LbvhOptions options{.top = Top::sah, .from_last_order = true};
  Bvh bvh = build(context(), mesh.view(), options);
  rebuild(context(), bvh, after.view(), options);
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build(context(), after.view(), options))));
}

TEST_P(TreeTop, ScratchIsWhatIsSaid) {
  for (u64 n : {100, 20000, 300000}) {
    const DeviceMesh mesh(context(), generate_random(n, 0.02f));
    Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
    Context fresh({.backend = GetParam(), .stream = context().stream()});
    rebuild_top(fresh, bvh);
    EXPECT_EQ(fresh.scratch_bytes(), rebuild_top_sizes(fresh, n).scratch_bytes) << n;
    EXPECT_LE(fresh.scratch_bytes(), 5000000u);
  }
}

}  // namespace copse::test
