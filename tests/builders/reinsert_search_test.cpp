// The search for the best place of a node, and one pass, against slow ones on the host.

#include <set>

#include "builders/bvh/reinsert.h"
#include "tests/builders/box_tree.h"
#include "tests/support/backends.h"

namespace copse::test {

class ReinsertPass : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(ReinsertPass);

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

TEST_P(ReinsertPass, TriesNodesOfBigParentsAlone) {
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

}  // namespace copse::test
