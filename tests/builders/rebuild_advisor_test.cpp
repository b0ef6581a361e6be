#include "builders/bvh/rebuild_advisor.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "builders/bvh/collapse.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse::test {

class RebuildAdvice : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(RebuildAdvice);

template <class Tree>
TreeHistory history_of(Context& context, const Tree& tree, const RebuildRule& rule = {}) {
  RebuildAdvisor advisor(context, rule);
  note_build(context, advisor, tree);
  return advisor.history();
}

template <class Wide>
Wide collapsed(Context& context, const Bvh& bvh) {
  return collapse<Wide>(context, bvh);
}

/// Every vertex is moved along a wave, by at most `strength` of the mesh's extent of about 1.
Mesh rippled(Mesh mesh, float strength) {
  for (vec3& p : mesh.positions) p.y += strength * std::sin(40 * p.x + 17 * p.z);
  return mesh;
}

TEST_P(RebuildAdvice, TheCostIsThatOfStats) {
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    for (u32 leaf : {1, 3}) {
      const Bvh bvh = build(context(), mesh.view(), LbvhOptions{.max_leaf_size = leaf});
      const auto expect_stats = [&](const auto& tree) {
        for (const SahCosts& costs : {SahCosts{}, SahCosts{2, 3}}) {
          const double cost = stats(context(), tree, costs).sah_cost;
          EXPECT_NEAR(history_of(context(), tree, {.costs = costs}).cost, cost, 1e-7 * (1 + cost)) << hard.name;
        }
      };
      expect_stats(bvh);
      expect_stats(collapsed<Bvh4>(context(), bvh));
      expect_stats(collapsed<CompressedBvh4>(context(), bvh));
      expect_stats(collapsed<CompressedBvh8>(context(), bvh));
    }
  }
}

TEST_P(RebuildAdvice, HistoriesAreEqualOnBothBackends) {
  const Mesh host = generate_random(20000, 0.05f);
  Context cpu({.backend = Backend::cpu});
  const auto history = [&](Context& one) {
    const DeviceMesh mesh(one, host);
    return history_of(one, build(one, mesh.view(), HplocOptions{}));
  };
  const TreeHistory expected = history(cpu), got = history(context());
  EXPECT_EQ(std::memcmp(&expected, &got, sizeof(got)), 0) << expected.cost << " " << got.cost;
}

TEST_P(RebuildAdvice, SmallMotionsAreRefittedAndLargeOnesRebuilt) {
  const Mesh rest = generate_sphere(5);
  DeviceMesh mesh(context(), rest);
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  const std::vector<u32> ids = bvh.primitive_ids.download();
  RebuildAdvisor advisor(context());
  note_build(context(), advisor, bvh);

  mesh.positions.upload(rippled(rest, 0.01f).positions);
  refit_or_rebuild(context(), bvh, mesh.view(), LbvhOptions{}, advisor);
  EXPECT_EQ(advisor.history().refit_count, 1u);
  EXPECT_EQ(advisor.history().rebuild_count, 0u);
  EXPECT_EQ(bvh.primitive_ids.download(), ids);
  EXPECT_EQ(advisor.history().cost, history_of(context(), bvh).cost);

  mesh.positions.upload(torn(rest).positions);
  refit_or_rebuild(context(), bvh, mesh.view(), LbvhOptions{}, advisor);
  const TreeHistory history = advisor.history();
  EXPECT_EQ(history.refit_count, 2u);
  EXPECT_EQ(history.rebuild_count, 1u);
  EXPECT_EQ(history.is_due, 0u);
  EXPECT_EQ(history.growth(), 1);
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build(context(), mesh.view(), LbvhOptions{}))));
}

TEST_P(RebuildAdvice, AGraphDecidesAtEveryLaunch) {
  const Mesh rest = generate_sphere(5);
  DeviceMesh mesh(context(), rest);
  for (const AnyBuildOptions& options : {AnyBuildOptions{LbvhOptions{}}, AnyBuildOptions{HplocOptions{}}}) {
    mesh.positions.upload(rest.positions);
    Bvh bvh = build(context(), mesh.view(), options);
    RebuildAdvisor advisor(context());
    refit_or_rebuild(context(), bvh, mesh.view(), options, advisor);
    ASSERT_EQ(advisor.history().rebuild_count, 0u) << "the first call is the first build";
    Graph graph = context().capture([&] { refit_or_rebuild(context(), bvh, mesh.view(), options, advisor); });

    u32 rebuilds = 0;
    for (const auto& [positions, is_far] : {std::pair{rippled(rest, 0.01f).positions, false},
                                            {torn(rest).positions, true},
                                            {torn(rest).positions, false},
                                            {rest.positions, false},
                                            {rippled(rest, 0.005f).positions, false}}) {
      mesh.positions.upload(positions);
      graph.launch();
      rebuilds += is_far ? 1 : 0;
      EXPECT_EQ(advisor.history().rebuild_count, rebuilds);
      if (is_far) {
        EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build(context(), mesh.view(), options))));
      }
      EXPECT_LE(advisor.history().growth(), advisor.rule().max_growth);
      EXPECT_EQ(advisor.history().cost, history_of(context(), bvh).cost);
    }
  }
}

TEST_P(RebuildAdvice, ATreeIsDueAfterSoManyRefits) {
  const DeviceMesh mesh(context(), generate_sphere(3));
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  RebuildAdvisor advisor(context(), {.max_refits = 3});
  note_build(context(), advisor, bvh);
  for (u32 frame = 1; frame <= 7; ++frame) {
    refit_or_rebuild(context(), bvh, mesh.view(), LbvhOptions{}, advisor);
    EXPECT_EQ(advisor.history().rebuild_count, frame / 3) << frame;
    EXPECT_EQ(advisor.history().refits_since_build, frame % 3) << frame;
    EXPECT_EQ(advisor.history().refit_count, frame);
  }
}

TEST_P(RebuildAdvice, TakesBoxesAndTreesWithoutPrimitives) {
  for (u64 n : {0, 1, 2}) {
    const Buffer<Aabb> boxes(context(), std::vector<Aabb>(n, Aabb{vec3(0), vec3(1)}));
    Bvh bvh = build(context(), BoxView{boxes.span()}, LbvhOptions{});
    RebuildAdvisor advisor(context());
    note_build(context(), advisor, bvh);
    refit_or_rebuild(context(), bvh, BoxView{boxes.span()}, LbvhOptions{}, advisor);
    EXPECT_EQ(advisor.history().rebuild_count, 0u);
    EXPECT_NEAR(advisor.history().cost, stats(context(), bvh).sah_cost, 1e-9);
  }
}

TEST_P(RebuildAdvice, RefusesRulesOutOfRange) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (double growth : {0.99, -1.0, 1001.0, nan}) {
    EXPECT_COPSE_ERROR(RebuildAdvisor(context(), {.max_growth = growth}), ErrorCode::invalid_argument,
                       "max_growth is ");
  }
  for (double cost : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_COPSE_ERROR(RebuildAdvisor(context(), {.costs = {cost, 1}}), ErrorCode::invalid_argument, "traversal");
    EXPECT_COPSE_ERROR(RebuildAdvisor(context(), {.costs = {1, cost}}), ErrorCode::invalid_argument,
                       "intersection");
  }
  RebuildAdvisor advisor(context());
  EXPECT_COPSE_ERROR(note_build(context(), advisor, Bvh4{}), ErrorCode::invalid_argument, "never made");
}

}  // namespace copse::test
