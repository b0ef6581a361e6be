#include "builders/bvh/reinsert.h"

#include <random>
#include <set>
#include <stop_token>

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/reinsert/reinsert_moves.h"
#include "builders/bvh/sah.h"
#include "builders/bvh/stats.h"
#include "builders/bvh/validate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_tree.h"

namespace copse::test {

class Reinsert : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Reinsert);

/// A tree of any topology in host memory, a box a leaf.
struct BoxTree {
  std::vector<BvhNode> nodes;
  std::vector<u32> parents;
  std::vector<Aabb> boxes;
  BvhCounts counts;

  /// Leaves take the boxes in the order of their numbers.
  BoxTree(const HostTree& tree, const std::vector<Aabb>& leaf_boxes)
      : nodes(tree.size()), parents(tree.pair_parents()), boxes(leaf_boxes) {
    const u32 leaves = u32(boxes.size());
    counts = {2 * leaves - 1, leaves, leaves, 0};
    for (u32 i = 0, leaf = 0; i < nodes.size(); ++i) {
      if (!tree.is_leaf(i)) {
        nodes[i] = BvhNode::inner(Aabb::empty(), tree.first_children[i]);
      } else {
        nodes[i] = BvhNode::leaf(boxes[leaf], leaf, 1);
        ++leaf;
      }
    }
    fit();
  }

  void fit() {
    std::vector<u32> top_down = {0};
    for (u32 k = 0; k < top_down.size(); ++k) {
      const BvhNode& node = nodes[top_down[k]];
      if (!node.is_leaf()) top_down.insert(top_down.end(), {node.first, node.first + 1});
    }
    for (auto i = top_down.rbegin(); i != top_down.rend(); ++i) {
      BvhNode& node = nodes[*i];
      if (!node.is_leaf())
        node = BvhNode::inner(merge(nodes[node.first].box(), nodes[node.first + 1].box()), node.first);
    }
  }

  double inner_area() const {
    double sum = 0;
    for (const BvhNode& node : nodes) sum += node.is_leaf() ? 0 : half_area(node.box());
    return sum;
  }

  Bvh upload(Context& context) const {
    Bvh bvh = make_bvh(context, boxes.size());
    std::vector<u32> ids(boxes.size());
    std::iota(ids.begin(), ids.end(), 0u);
    bvh.nodes.upload(nodes);
    if (!parents.empty()) bvh.parents.upload(parents);
    bvh.primitive_ids.upload(ids);
    bvh.counts.upload(std::vector<BvhCounts>{counts});
    bvh.source_count = boxes.size();
    return bvh;
  }

  detail::ReinsertionPass pass(std::vector<detail::Reinsertion>& moves, std::vector<u64>& claims) {
    moves.assign(nodes.size(), {});
    claims.assign(nodes.size(), 0);
    return {{nodes.data(), parents.data(), nullptr, &counts, nullptr, nullptr, nullptr},
            moves.data(),
            claims.data(),
            {}};
  }
};

std::vector<Aabb> random_boxes(u32 count, u32 seed) {
  std::mt19937 random(seed);
  std::vector<Aabb> boxes(count);
  for (Aabb& box : boxes) {
    const auto coordinate = [&](u32 limit) { return float(random() % limit); };
    box.lo = vec3(coordinate(100), coordinate(100), coordinate(100));
    box.hi = box.lo + vec3(coordinate(30), coordinate(30), coordinate(30));
  }
  return boxes;
}

BoxTree random_box_tree(u32 leaves, u32 seed) {
  return {random_binary_tree(leaves, seed), random_boxes(leaves, seed)};
}

/// What inner nodes lose in area by the best single move of `node`, all targets tried.
double best_gain(const BoxTree& tree, u32 node) {
  const auto is_below = [&](u32 i, u32 top) {
    while (i != 0 && i != top) i = tree.parents[sibling_pair(i)];
    return i == top;
  };
  double best = 0;
  for (u32 target = 1; target < tree.nodes.size(); ++target) {
    // Ancestors are no targets.
    if (is_below(target, node) || is_below(node, target) || target == sibling(node)) continue;
    BoxTree moved = tree;
    std::vector<detail::Reinsertion> moves;
    std::vector<u64> claims;
    const detail::ReinsertionPass pass = moved.pass(moves, claims);
    moves[node] = {1, target};
    claims[node] = detail::MoveKey::held | node;
    detail::MoveNode{pass}(node);
    moved.fit();
    best = std::max(best, tree.inner_area() - moved.inner_area());
  }
  return best;
}

TEST(ReinsertSearch, FindsTheBestOfAllTargets) {
  for (u32 seed = 0; seed < 40; ++seed) {
    const BoxTree tree = random_box_tree(4 + seed % 20, seed);
    const float scale = detail::AreaScale::of(tree.nodes[0].box()).scale;
    for (u32 node = 1; node < tree.nodes.size(); ++node) {
      const auto found = detail::ReinsertionSearch(tree.nodes.data(), tree.parents.data(), node).run();
      EXPECT_NEAR(found.gain / scale / scale, best_gain(tree, node), 1e-5 * tree.inner_area())
          << seed << ", " << node;
    }
  }
}

TEST(ReinsertSearch, GoesBelowLargerNodesAlone) {
  u64 passed_count = 0;
  for (u32 seed = 0; seed < 500; ++seed) {
    // Few sizes, so that areas are often equal.
    std::vector<Aabb> boxes = random_boxes(4 + seed % 30, seed);
    for (u32 i = 0; i < boxes.size(); ++i) boxes[i].hi = boxes[i].lo + vec3(float(1 + i % 2));
    const BoxTree tree(random_binary_tree(boxes.size(), seed), boxes);
    const auto parent = [&](u32 node) { return tree.parents[sibling_pair(node)]; };
    for (u32 node = 1; node < tree.nodes.size(); ++node) {
      const auto found = detail::ReinsertionSearch(tree.nodes.data(), tree.parents.data(), node).run();
      if (!(found.gain > 0)) continue;
      std::set<u32> ancestors;
      for (u32 above = node; above != 0;) ancestors.insert(above = parent(above));
      for (u32 above = parent(found.target); !ancestors.count(above); above = parent(above)) {
        EXPECT_GT(half_area(tree.nodes[above].box()), half_area(tree.nodes[node].box())) << seed << ", " << node;
        ++passed_count;
      }
    }
  }
  EXPECT_GT(passed_count, 100u);
}

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

/// The tree after a pass that tries the nodes of these pairs, by one thread; the tree itself if it gained area.
BoxTree after_pass(const BoxTree& tree, const std::vector<u32>& pairs) {
  if (pairs.empty()) return tree;
  BoxTree moved = tree;
  std::vector<detail::Reinsertion> moves;
  std::vector<u64> claims;
  detail::ReinsertionPass pass = moved.pass(moves, claims);
  const u64 pair_count = pairs.size();
  pass.moving = {pairs.data(), &pair_count};
  const auto run = [&](const auto& step) {
    for (u64 i = 0; i < tree.nodes.size(); ++i) step(i);
  };
  run(detail::FindMove{pass});
  for (u32 round = 0; round < detail::claim_rounds; ++round) {
    run(detail::ClaimPlaces{pass, round});
    run(detail::HoldPlaces{pass, round});
  }
  run(detail::MoveNode{pass});
  moved.fit();
  return moved.inner_area() <= tree.inner_area() ? moved : tree;
}

TEST_P(Reinsert, TriesNodesOfBigParentsAlone) {
  u64 tried_count = 0, pair_count = 0;
  for (u32 seed = 0; seed < 30; ++seed) {
    const BoxTree tree = random_box_tree(50 + 40 * seed, seed);
    for (const float least : {0.25f, 1.0f, 1.5f}) {
      const double limit = least * tree.inner_area() / double(tree.parents.size());
      std::vector<u32> pairs;
      for (u32 pair = 0; pair < tree.parents.size(); ++pair) {
        if (half_area(tree.nodes[tree.parents[pair]].box()) >= limit) pairs.push_back(pair);
      }
      tried_count += pairs.size();
      pair_count += tree.parents.size();
      Bvh bvh = tree.upload(context());
      reinsert(context(), bvh, {.passes = 1, .min_parent_area = least});
      const BoxTree expected = after_pass(tree, pairs);
      EXPECT_TRUE(same_bytes(expected.nodes, bvh.nodes.download())) << seed << ", " << least;
      EXPECT_EQ(expected.parents, bvh.parents.download()) << seed << ", " << least;
    }
  }
  EXPECT_GT(tried_count, pair_count / 10);
  EXPECT_LT(tried_count, pair_count * 9 / 10) << "nearly all were tried: the test shows nothing";
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
