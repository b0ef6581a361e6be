#include "builders/bvh/reinsert.h"

#include <random>
#include <stop_token>

#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/reinsert/reinsert_moves.h"
#include "builders/bvh/sah.h"
#include "builders/bvh/stats.h"
#include "builders/bvh/validate.h"
#include "tests/builders/box_tree.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_tree.h"

namespace copse::test {

class Reinsert : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Reinsert);

TEST_P(Reinsert, JoinsWhatIsNear) {
  //        0                        0
  //     1     2 c    becomes    1 b     2
  //   3 a 4 b                         3 a 4 c
  const std::vector<BvhNode> before = {
      BvhNode::inner({vec3(0), vec3(101, 1, 1)}, 1), BvhNode::inner({vec3(0), vec3(101, 1, 1)}, 3),
      BvhNode::leaf({vec3(2, 0, 0), vec3(3, 1, 1)}, 2, 1), BvhNode::leaf({vec3(0), vec3(1)}, 0, 1),
      BvhNode::leaf({vec3(100, 0, 0), vec3(101, 1, 1)}, 1, 1)};
  const std::vector<BvhNode> after = {before[0], before[4], BvhNode::inner({vec3(0), vec3(3, 1, 1)}, 3), before[3],
                                      before[2]};
  for (u32 passes : {1, 5}) {
    Bvh bvh = make_bvh(context(), 3);
    bvh.nodes.upload(before);
    bvh.parents.upload(std::vector<u32>{0, 1});
    bvh.primitive_ids.upload(std::vector<u32>{0, 1, 2});
    bvh.counts.upload(std::vector<BvhCounts>{{5, 3, 3, 0}});
    bvh.source_count = 3;
    reinsert(context(), bvh, {passes});
    EXPECT_TRUE(same_bytes(bvh.nodes.download(), after)) << passes;
    EXPECT_EQ(bvh.parents.download(), (std::vector<u32>{0, 2})) << passes;
  }
}

/// Trees of all builders.
std::vector<Bvh> built_trees(Context& context, const TriangleViews& triangles, u32 leaf) {
  std::vector<Bvh> trees;
  trees.push_back(build(context, triangles, LbvhOptions{.max_leaf_size = leaf}));
  trees.push_back(build(context, triangles, HplocOptions{.max_leaf_size = leaf}));
  trees.push_back(build(context, triangles, SahOptions{.max_leaf_size = leaf}));
  return trees;
}

TEST_P(Reinsert, KeepsTreesOfHardMeshesValidAndNoDearer) {
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    for (u32 leaf : {1, 4}) {
      for (Bvh& bvh : built_trees(context(), mesh.view(), leaf)) {
        const BvhCopy before(bvh);
        double cost = stats(context(), bvh).sah_cost;
        for (u32 passes : {1, 1, 3}) {
          reinsert(context(), bvh, {passes});
          const ValidationReport report = validate(context(), bvh, mesh.view());
          ASSERT_TRUE(report.is_valid()) << hard.name << ": " << report.message();
          const double now = stats(context(), bvh).sah_cost;
          EXPECT_LE(now, cost * 1.000001) << hard.name;
          cost = now;
        }
        const BvhCopy after(bvh);
        EXPECT_EQ(std::memcmp(&before.counts, &after.counts, sizeof before.counts), 0) << hard.name;
        EXPECT_TRUE(same_bytes(before.primitive_ids, after.primitive_ids)) << hard.name;
      }
    }
  }
}

/// The moves that win in a pass over a tree, by one thread.
u32 winner_count(BvhCopy tree) {
  std::vector<detail::Reinsertion> moves(tree.nodes.size());
  std::vector<u64> claims(tree.nodes.size(), 0);
  const detail::ReinsertionPass pass{
      {tree.nodes.data(), tree.parents.data(), nullptr, &tree.counts, nullptr, nullptr, nullptr},
      moves.data(),
      claims.data(),
      {}};
  const auto run = [&](const auto& step) {
    for (u64 i = 0; i < tree.nodes.size(); ++i) step(i);
  };
  run(detail::FindMove{pass});
  for (u32 round = 0; round < detail::claim_rounds; ++round) {
    run(detail::ClaimPlaces{pass, round});
    run(detail::HoldPlaces{pass, round});
  }
  u32 count = 0;
  for (u32 node = 1; node < tree.nodes.size(); ++node) count += pass.wins(node);
  return count;
}

TEST_P(Reinsert, UndoesAPassThatWouldMakeTheTreeDearer) {
  const DeviceMesh mesh(context(), generate_hairball(20, 30));
  u32 undone_count = 0;
  for (Bvh& bvh : built_trees(context(), mesh.view(), 1)) {
    for (int pass = 0; pass < 16; ++pass) {
      const BvhCopy before(bvh);
      reinsert(context(), bvh, {1});
      if (same_bytes(before, BvhCopy(bvh)) && winner_count(before) > 0) ++undone_count;
    }
  }
  EXPECT_GT(undone_count, 0u) << "every pass helped: the test shows nothing";
}

TEST_P(Reinsert, MendsTreesOfAnyTopology) {
  for (u32 leaves : {1, 2, 3, 4, 5, 31, 33, 257, 3000}) {
    for (const HostTree& shape : {random_binary_tree(leaves, leaves), comb_tree(leaves)}) {
      const BoxTree tree(shape, random_boxes(leaves, 3 * leaves));
      Bvh bvh = tree.upload(context());
      const Buffer<Aabb> boxes(context(), tree.boxes);
      reinsert(context(), bvh, {16});
      const ValidationReport report = validate(context(), bvh, BoxView{boxes.span()});
      ASSERT_TRUE(report.is_valid()) << leaves << ": " << report.message();
      if (leaves < 31) continue;
      const Bvh built = build(context(), BoxView{boxes.span()}, SahOptions{});
      const double cost = stats(context(), bvh).sah_cost, least = stats(context(), built).sah_cost;
      EXPECT_LT(cost, 2.5 * least) << leaves << ", was " << stats(context(), tree.upload(context())).sah_cost;
    }
  }
}

TEST_P(Reinsert, LeavesNothingHangingFromARing) {
  for (u32 seed = 0; seed < 300; ++seed) {
    std::vector<Aabb> boxes = random_boxes(8 + seed, seed);
    // Boxes that coincide or have the same area, where two nodes are as likely to go below each other.
    for (u32 i = 0; i < boxes.size(); ++i) {
      boxes[i].lo = vec3(float(int(boxes[i].lo.x) % 3), float(int(boxes[i].lo.y) % 2), 0);
      boxes[i].hi = boxes[i].lo + vec3(float(seed % 3), 1, 1);
    }
    const BoxTree tree(random_binary_tree(boxes.size(), seed), boxes);
    Bvh bvh = tree.upload(context());
    reinsert(context(), bvh, {3});
    const Buffer<Aabb> buffer(context(), boxes);
    const ValidationReport report = validate(context(), bvh, BoxView{buffer.span()});
    ASSERT_TRUE(report.is_valid()) << seed << ": " << report.message();
  }
}

TEST_P(Reinsert, EndsInAChainOfAnyDepth) {
  const u32 leaves = 20000;
  const BoxTree tree(comb_tree(leaves), random_boxes(leaves, 1));
  Bvh bvh = tree.upload(context());
  const Buffer<Aabb> boxes(context(), tree.boxes);
  reinsert(context(), bvh, {1});
  EXPECT_TRUE(validate(context(), bvh, BoxView{boxes.span()}).is_valid());
}

TEST_P(Reinsert, GainsMostByNodesOfBigParents) {
  for (const Mesh& mesh : {generate_hairball(300, 50), generate_random(20000, 0.05f)}) {
    const DeviceMesh device_mesh(context(), mesh);
    const auto cost_after = [&](const ReinsertOptions* options) {
      Bvh bvh = build(context(), device_mesh.view(), HplocOptions{});
      if (options != nullptr) reinsert(context(), bvh, *options);
      return stats(context(), bvh).sah_cost;
    };
    const ReinsertOptions all{.passes = 2}, large{.passes = 2, .min_parent_area = 0.5f},
        none{.passes = 2, .min_parent_area = 1000};
    const double before = cost_after(nullptr);
    EXPECT_GT(before - cost_after(&large), 0.6 * (before - cost_after(&all)));
    EXPECT_GT(cost_after(&none), 0.999 * before);
  }
}

TEST_P(Reinsert, GivesTheSameBytesInManyRuns) {
  const DeviceMesh mesh(context(), generate_random(30000, 0.05f));
  Bvh first = build(context(), mesh.view(), HplocOptions{});
  reinsert(context(), first, {3});
  for (int repeat = 0; repeat < 20; ++repeat) {
    Bvh bvh = build(context(), mesh.view(), HplocOptions{});
    reinsert(context(), bvh, {3});
    ASSERT_TRUE(same_bytes(BvhCopy(first), BvhCopy(bvh))) << "run " << repeat;
  }
}

TEST_P(Reinsert, PassesAddUp) {
  const DeviceMesh mesh(context(), generate_hairball(50, 40));
  Bvh at_once = build(context(), mesh.view(), HplocOptions{}),
      one_by_one = build(context(), mesh.view(), HplocOptions{});
  for (const float least : {0.0f, 0.5f}) {
    reinsert(context(), at_once, {3, least});
    for (int k = 0; k < 3; ++k) reinsert(context(), one_by_one, {1, least});
    EXPECT_TRUE(same_bytes(BvhCopy(at_once), BvhCopy(one_by_one))) << least;
  }
}

TEST_P(Reinsert, LeavesATreeThatCanBeRefittedAndWidened) {
  const Mesh host = generate_random(5000, 0.05f);
  Mesh moved = host;
  for (vec3& p : moved.positions) p = vec3(p.x + p.y * p.z, p.y * 1.5f - p.x, p.z);
  DeviceMesh mesh(context(), host);
  for (Bvh& bvh : built_trees(context(), mesh.view(), 1)) {
    mesh.positions.upload(host.positions);
    reinsert(context(), bvh);
    const BvhCopy before(bvh);
    refit(context(), bvh, mesh.view());
    EXPECT_TRUE(same_bytes(before, BvhCopy(bvh))) << "nothing moved";
    mesh.positions.upload(moved.positions);
    refit(context(), bvh, mesh.view());
    EXPECT_TRUE(validate(context(), bvh, mesh.view()).is_valid());
    const Bvh4 wide = collapse<Bvh4>(context(), bvh);
    EXPECT_TRUE(validate(context(), wide, mesh.view()).is_valid());
  }
}

TEST_P(Reinsert, TakesTreesWithLeavesThatARefitHasEmptied) {
  Mesh host = generate_random(2000, 0.1f);
  DeviceMesh mesh(context(), host);
  for (Bvh& bvh : built_trees(context(), mesh.view(), 1)) {
    for (u32 i = 0; i < 3000; ++i) host.positions[i].x = std::numeric_limits<float>::quiet_NaN();
    mesh.positions.upload(host.positions);
    refit(context(), bvh, mesh.view());
    reinsert(context(), bvh, {3});
    const ValidationReport report = validate(context(), bvh, mesh.view(), true);
    EXPECT_TRUE(report.is_valid()) << report.message();
  }
}

TEST_P(Reinsert, IsCapturedAlongWithARebuildAndARefit) {
  const Mesh before = generate_random(6000, 0.05f);
  Mesh after = before;
  for (vec3& p : after.positions) p = vec3(p.y, p.z * 2, p.x);
  DeviceMesh mesh(context(), before);
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  const auto work = [&](Bvh& tree) {
    rebuild(context(), tree, mesh.view(), LbvhOptions{});
    reinsert(context(), tree, {.passes = 2, .min_parent_area = 0.5f});
    refit(context(), tree, mesh.view());
  };
  work(bvh);
  Graph graph = context().capture([&] { work(bvh); });
  mesh.positions.upload(after.positions);
  Bvh expected = build(context(), mesh.view(), LbvhOptions{});
  reinsert(context(), expected, {.passes = 2, .min_parent_area = 0.5f});
  for (int repeat = 0; repeat < 2; ++repeat) {
    graph.launch();
    EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(expected)));
    EXPECT_TRUE(validate(context(), bvh, mesh.view()).is_valid());
  }
}

TEST_P(Reinsert, TakesTheScratchThatItsSizesTell) {
  for (u64 n : {0, 1, 2, 1000, 70000}) {
    const DeviceMesh mesh(context(), n == 0 ? Mesh{} : generate_random(n, 0.1f));
    Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
    Context fresh({.backend = GetParam(), .stream = context().stream()});
    const BuildSizes sizes = reinsert_sizes(fresh, n);
    for (u32 passes : {1, 2}) {
      reinsert(fresh, bvh, {passes, passes == 1 ? 0 : 0.5f});
      EXPECT_EQ(fresh.scratch_bytes(), sizes.scratch_bytes) << n;
    }
    EXPECT_EQ(sizes.result_bytes, 0u);
    EXPECT_LE(sizes.scratch_bytes, (GetParam() == Backend::cpu ? 40 : 45) * n + 4096) << n;
    context().wait();
  }
}

TEST_P(Reinsert, LeavesAloneWhatHasNoNodesAndNeedsNoDeltas) {
  Bvh none;
  reinsert(context(), none);
  EXPECT_TRUE(none.nodes.empty());

  const BoxTree tree = random_box_tree(50, 1);
  Bvh bvh = tree.upload(context()), without_deltas = tree.upload(context());
  detail::BvhAccess::deltas(without_deltas).words = {};
  reinsert(context(), bvh);
  reinsert(context(), without_deltas);
  EXPECT_FALSE(same_bytes(tree.nodes, bvh.nodes.download()));
  EXPECT_TRUE(same_bytes(bvh.nodes.download(), without_deltas.nodes.download()));
}

TEST_P(Reinsert, RefusesOptionsOutOfRange) {
  Bvh bvh = make_bvh(context(), 1);
  const auto code = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(reinsert(context(), bvh, {0}), code, "passes is 0; it can be 1 to 16");
  EXPECT_COPSE_ERROR(reinsert(context(), bvh, {17}), code, "17");
  for (const float area : {-1.0f, 1000.5f, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_COPSE_ERROR(reinsert(context(), bvh, {.min_parent_area = area}), code, "it can be 0 to 1000");
  }
  EXPECT_COPSE_ERROR(reinsert(context(), bvh, {.min_parent_area = -1}), code, "min_parent_area is -1.0");
  EXPECT_COPSE_ERROR(reinsert_sizes(context(), max_primitives + 1), ErrorCode::capacity, "2147483649");
}

TEST_P(Reinsert, StopsWhenCancelled) {
  std::stop_source stop;
  Context cancellable({.backend = GetParam(), .cancel = stop.get_token()});
  const DeviceMesh mesh(cancellable, generate_sphere(2));
  Bvh bvh = build(cancellable, mesh.view(), SahOptions{});
  stop.request_stop();
  EXPECT_COPSE_ERROR(reinsert(cancellable, bvh), ErrorCode::cancelled, "cancelled");
}

TEST(ReinsertBackends, AgreeOnHardMeshes) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh cpu_mesh(cpu, hard.mesh), cuda_mesh(cuda, hard.mesh);
    for (u32 leaf : {1, 4}) {
      std::vector<Bvh> cpu_trees = built_trees(cpu, cpu_mesh.view(), leaf);
      std::vector<Bvh> cuda_trees = built_trees(cuda, cuda_mesh.view(), leaf);
      for (u32 k = 0; k < cpu_trees.size(); ++k) {
        reinsert(cpu, cpu_trees[k], {3, leaf == 1 ? 0.5f : 0});
        reinsert(cuda, cuda_trees[k], {3, leaf == 1 ? 0.5f : 0});
        EXPECT_TRUE(same_bytes(BvhCopy(cpu_trees[k]), BvhCopy(cuda_trees[k]))) << hard.name << ", " << k;
      }
    }
  }
}

TEST(ReinsertBackends, AgreeOnLargeTrees) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  for (const Mesh& mesh : {generate_random(500000, 0.004f), generate_hairball(1000, 100)}) {
    const DeviceMesh cpu_mesh(cpu, mesh), cuda_mesh(cuda, mesh);
    Bvh cpu_bvh = build(cpu, cpu_mesh.view(), HplocOptions{}),
        cuda_bvh = build(cuda, cuda_mesh.view(), HplocOptions{});
    for (const ReinsertOptions& options : {ReinsertOptions{}, ReinsertOptions{.min_parent_area = 0.5f}}) {
      reinsert(cpu, cpu_bvh, options);
      reinsert(cuda, cuda_bvh, options);
      EXPECT_TRUE(same_bytes(BvhCopy(cpu_bvh), BvhCopy(cuda_bvh))) << options.min_parent_area;
    }
  }
}

}  // namespace copse::test
