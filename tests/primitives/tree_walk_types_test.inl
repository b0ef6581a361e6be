// Tests walks over trees of all shapes, on each backend.

#include <cstring>

#include "primitives/bottom_up.h"
#include "primitives/top_down.h"
#include "tests/support/body_test.h"
#include "tests/support/host_tree.h"
#include "tests/support/two_contexts.h"
#include "tests/support/watchdog.h"

namespace copse::detail {
namespace {

using test::HostTree;

/// Returns a value. A sum of such values depends on its order.
COPSE_HD inline float value_of(u32 node) {
  return float((node + 1) * 2654435761u >> 8) * 1e-3f;
}

/// ParentLinks, with links down too.
struct FullTree : ParentLinks {
  const u32* first_children;
  COPSE_HD u32 child_count(u32 node) const { return child_counts[node]; }
  COPSE_HD u32 first_child(u32 node) const { return first_children[node]; }
};

struct DeviceTree {
  Buffer<u32> parents, child_counts, first_children;

  DeviceTree(Context& context, const HostTree& host)
      : parents(context, host.parents),
        child_counts(context, host.child_counts),
        first_children(context, host.first_children) {}
  FullTree view() const { return {{parents.data(), child_counts.data()}, first_children.data()}; }
};

struct StartSum {
  const u32* child_counts;
  u32 node_count;
  float* sums;
  COPSE_HD bool operator()(u32 node) const {
    if (node >= node_count || child_counts[node] > 0) return false;
    sums[node] = value_of(node);
    return true;
  }
};

struct AddChildren {
  FullTree tree;
  float* sums;
  u32* visits;
  COPSE_HD void operator()(u32 node, u32 family) const {
    const u32 first = tree.first_child(node);
    float sum = value_of(node);
    for (u32 k = 0; k < tree.child_count(node); ++k) sum = add_rn(sum, sums[first + k]);
    sums[node] = sum;
    if (family == node) fetch_add_relaxed(visits + node, 1u);
  }
};

struct AddPair {
  float* sums;
  u32* visits;
  COPSE_HD void operator()(u32 node, u32 pair) const {
    const u32 first = SiblingPairs::first_of(pair);
    sums[node] = add_rn(add_rn(value_of(node), sums[first]), sums[first + 1]);
    fetch_add_relaxed(visits + node, 1u);
  }
};

std::vector<float> slow_sums(const HostTree& tree) {
  std::vector<float> sums(tree.size());
  for (u64 k = tree.size(); k-- > 0;) {
    const u32 node = tree.order[k];
    sums[node] = value_of(node);
    for (u32 c = 0; c < tree.child_counts[node]; ++c) sums[node] += sums[tree.first_children[node] + c];
  }
  return sums;
}

/// Each inner node is visited once per walk.
std::vector<u32> expected_visits(const HostTree& tree, u32 times = 1) {
  std::vector<u32> visits;
  for (u64 node = 0; node < tree.size(); ++node) visits.push_back(tree.is_leaf(node) ? 0 : times);
  return visits;
}

std::vector<u32> slow_depths(const HostTree& tree) {
  std::vector<u32> depths(tree.size(), 0);
  for (u64 k = 1; k < tree.size(); ++k) depths[tree.order[k]] = depths[tree.parents[tree.order[k]]] + 1;
  return depths;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Tells the children of a node their depth. Does not go below `deepest`.
struct TellDepth {
  FullTree tree;
  u32 deepest;
  u32* depths;
  u32* visits;
  COPSE_HD bool operator()(u32 node) const {
    fetch_add_relaxed(visits + node, 1u);
    for (u32 k = 0; k < tree.child_count(node); ++k) depths[tree.first_child(node) + k] = depths[node] + 1;
    return depths[node] < deepest;
  }
};

/// Lists the nodes in the order in which one thread meets them.
struct WriteDown {
  FullTree tree;
  u32 not_below;
  u32* list;
  u32* count;
  COPSE_HD bool operator()(u32 node) const {
    list[(*count)++] = node;
    return node != not_below;
  }
};
struct WalkOneThread {
  WriteDown write;
  u32 top;
  COPSE_HD void operator()(u64) const { walk_down(write.tree, top, write); }
};

/// Two threads meet at each place. One of them is told what the other knew.
struct Meet {
  u32 place_count;
  u32* places;
  u32* known;  // [number of the caller]
  u32* heard;  // [place]
  COPSE_HD void operator()(u64 i) const {
    known[i] = u32(i) * 3 + 1;
    const u32 place = u32(i) % place_count;
    const u32 other = meet(&places[place], u32(i));
    if (other != invalid_id) heard[place] = known[other] + known[i];
  }
};

template <class Executor>
class TreeWalk : public test::BodyTest<Executor> {
 protected:
  /// Adds sums from the leaves up, `times` times in a row.
  void expect_sums(const HostTree& host, u32 times = 1) { expect_sums_on(this->context(), host, times); }

  static void expect_sums_on(Context& context, const HostTree& host, u32 times) {
    const Executor& ex = test::BodyTest<Executor>::executor_of(context);
    const DeviceTree tree(context, host);
    Buffer<float> sums(context, host.size());
    Buffer<u32> visits(context, std::vector<u32>(host.size(), 0));
    for (u32 k = 0; k < times; ++k) {
      bottom_up(ex, "test", host.size(), host.size(), tree.view(),
                StartSum{tree.child_counts.data(), u32(host.size()), sums.data()},
                AddChildren{tree.view(), sums.data(), visits.data()});
    }
    EXPECT_TRUE(same_bits(sums.download(), slow_sums(host))) << host.size();
    EXPECT_EQ(visits.download(), expected_visits(host, times)) << host.size();
  }

  void expect_pair_sums(const HostTree& host) {
    const DeviceTree tree(this->context(), host);
    const Buffer<u32> pair_parents(this->context(), host.pair_parents());
    Buffer<float> sums(this->context(), host.size());
    Buffer<u32> visits(this->context(), std::vector<u32>(host.size(), 0));
    bottom_up(this->executor(), "test", host.size(), pair_parents.size(), SiblingPairs{pair_parents.data()},
              StartSum{tree.child_counts.data(), u32(host.size()), sums.data()},
              AddPair{sums.data(), visits.data()});
    EXPECT_TRUE(same_bits(sums.download(), slow_sums(host))) << host.size();
    EXPECT_EQ(visits.download(), expected_visits(host)) << host.size();
  }

  void expect_depths(const HostTree& host, u32 deepest = invalid_id) {
    expect_depths_on(this->context(), this->executor(), host, deepest);
  }

  static void expect_depths_on(Context& context, const Executor& ex, const HostTree& host, u32 deepest) {
    const DeviceTree tree(context, host);
    Buffer<u32> depths(context, std::vector<u32>(host.size(), 0)), visits(context, depths.download());
    top_down(ex, "test", 0, host.leaf_count, tree.view(),
             TellDepth{tree.view(), deepest, depths.data(), visits.data()});
    const std::vector<u32> expected = slow_depths(host), seen = depths.download(), times = visits.download();
    for (u64 node = 0; node < host.size(); ++node) {
      const bool reached = expected[node] <= deepest;
      ASSERT_EQ(times[node], reached ? 1u : 0u) << node << " of " << host.size();
      ASSERT_EQ(reached ? seen[node] : expected[node], expected[node]) << node << " of " << host.size();
    }
  }

 private:
  test::Watchdog watchdog_{300, "a walk over a tree"};
};

/// Returns sizes of a tree: one leaf, and sizes around warps, blocks and the CPU's grain.
std::vector<u64> tree_sizes() {
  return {1, 2, 3, 4, 31, 33, 255, 257, 2047, 2049, 30011};
}

std::vector<HostTree> all_shapes(u64 n) {
  return {test::chain_tree(smaller(n, u64{2049})), test::star_tree(n), test::random_tree(n, u32(n)),
          test::complete_tree(n, 2), test::complete_tree(n, 7)};
}

TYPED_TEST_SUITE(TreeWalk, TheBackend, BackendName);

TYPED_TEST(TreeWalk, SumsUpwardsInTheOrderOfTheChildren) {
  for (u64 n : tree_sizes()) {
    for (const HostTree& tree : all_shapes(n)) this->expect_sums(tree);
  }
}

TYPED_TEST(TreeWalk, SumsUpwardsOverPairs) {
  for (u64 n : tree_sizes()) {
    this->expect_pair_sums(test::random_binary_tree(n, u32(n)));
    this->expect_pair_sums(test::comb_tree(smaller(n, u64{2049})));
  }
}

TYPED_TEST(TreeWalk, WalksAForestUpwards) {
  HostTree forest = test::random_tree(5000, 9);
  // This cuts the root off its children, so that each child becomes a root.
  for (u32 k = 0; k < forest.child_counts[0]; ++k) forest.parents[forest.first_children[0] + k] = invalid_id;
  forest.child_counts[0] = 0;
  ++forest.leaf_count;
  this->expect_sums(forest);
}

TYPED_TEST(TreeWalk, NeedsNoClearingBetweenWalks) {
  const HostTree tree = test::random_tree(300, 4);
  this->expect_sums(tree, 1000);
  if constexpr (body_backend == Backend::cuda) {
    const u64 before = this->context().profile().launch_count();
    this->expect_sums(tree, 10);
    EXPECT_EQ(this->context().profile().launch_count(), before + 10);
  }
}

TYPED_TEST(TreeWalk, WalksUpAgainAndAgainAsAGraph) {
  const HostTree host = test::random_tree(3000, 6);
  Context& context = this->context();
  const auto& ex = this->executor();
  const DeviceTree tree(context, host);
  Buffer<float> sums(context, std::vector<float>(host.size(), 0.0f));
  Buffer<u32> visits(context, std::vector<u32>(host.size(), 0)), depths(context, visits.download()),
      down_visits(context, visits.download());
  context.reserve_scratch(
      larger(bottom_up_scratch_bytes(ex, host.size()), top_down_scratch_bytes(ex, host.size())));
  Graph graph = context.capture([&] {
    bottom_up(ex, "test", host.size(), host.size(), tree.view(),
              StartSum{tree.child_counts.data(), u32(host.size()), sums.data()},
              AddChildren{tree.view(), sums.data(), visits.data()});
    top_down(ex, "test", 0, host.leaf_count, tree.view(),
             TellDepth{tree.view(), invalid_id, depths.data(), down_visits.data()});
  });
  for (int k = 0; k < 3; ++k) graph.launch();
  EXPECT_TRUE(same_bits(sums.download(), slow_sums(host)));
  EXPECT_EQ(visits.download(), expected_visits(host, 3));
  EXPECT_EQ(depths.download(), slow_depths(host));
  EXPECT_EQ(down_visits.download(), std::vector<u32>(host.size(), 3));
}

TYPED_TEST(TreeWalk, ComesDownToEveryNodeOnce) {
  for (u64 n : tree_sizes()) {
    for (const HostTree& tree : all_shapes(n)) this->expect_depths(tree);
  }
}

TYPED_TEST(TreeWalk, LeavesOutWhatTheVisitDoes) {
  const HostTree tree = test::random_tree(20000, 5);
  for (u32 deepest : {0u, 1u, 5u, 12u}) this->expect_depths(tree, deepest);
}

TYPED_TEST(TreeWalk, ComesDownAThousandTimes) {
  const HostTree tree = test::random_tree(200, 8);
  for (int k = 0; k < 1000; ++k) this->expect_depths(tree);
}

TYPED_TEST(TreeWalk, ComesDownOnOneMultiprocessor) {
  auto ex = this->executor();
  if constexpr (body_backend == Backend::cuda) ex.multiprocessor_count = 1;
  for (const HostTree& tree : {test::random_tree(100000, 2), test::star_tree(30011), test::comb_tree(2000)}) {
    this->expect_depths_on(this->context(), ex, tree, invalid_id);
  }
}

TYPED_TEST(TreeWalk, WalksOnTwoContextsAtOnce) {
  const HostTree tree = test::random_tree(50000, 3);
  test::on_two_contexts(body_backend, [&](Context& context) {
    for (int k = 0; k < 10; ++k) {
      this->expect_sums_on(context, tree, 3);
      this->expect_depths_on(context, this->executor_of(context), tree, invalid_id);
    }
  });
}

/// Lists each node before its children, and siblings in their order.
void write_down(const HostTree& tree, u32 node, u32 not_below, std::vector<u32>& list) {
  list.push_back(node);
  if (node == not_below) return;
  for (u32 k = 0; k < tree.child_counts[node]; ++k) {
    write_down(tree, tree.first_children[node] + k, not_below, list);
  }
}

TYPED_TEST(TreeWalk, OneThreadWalksDownInOrder) {
  for (u64 n : {1, 2, 3, 500}) {
    for (const HostTree& host : all_shapes(n)) {
      const DeviceTree tree(this->context(), host);
      for (u32 top : {u32(0), u32(n / 3), u32(n - 1)}) {
        for (u32 not_below : {invalid_id, u32(0), u32(n / 2), u32(n / 3)}) {
          Buffer<u32> list(this->context(), n), count(this->context(), std::vector<u32>{0});
          const WriteDown write{tree.view(), not_below, list.data(), count.data()};
          for_each(this->executor(), "test", 1, WalkOneThread{write, top});
          std::vector<u32> expected, seen = list.download();
          write_down(host, top, not_below, expected);
          seen.resize(count.download()[0]);
          ASSERT_EQ(seen, expected) << n << " from " << top << " not below " << not_below;
        }
      }
    }
  }
}

TYPED_TEST(TreeWalk, TwoMeet) {
  for (u32 n : {1u, 32u, 5000u}) {
    Buffer<u32> places(this->context(), std::vector<u32>(n, 0)), known(this->context(), 2 * n),
        heard(this->context(), n);
    for_each(this->executor(), "test", 2 * n, Meet{n, places.data(), known.data(), heard.data()});
    const std::vector<u32> sums = heard.download();
    for (u32 i = 0; i < n; ++i) ASSERT_EQ(sums[i], 3 * i + 1 + 3 * (i + n) + 1) << i << " of " << n;
    ASSERT_EQ(places.download(), std::vector<u32>(n, 0)) << n;
  }
}

TYPED_TEST(TreeWalk, LargeTreesOfAllShapes) {
  for (const HostTree& tree :
       {test::random_tree(1000003, 1), test::star_tree(1000003), test::complete_tree(1000003, 4)}) {
    this->expect_sums(tree, 2);
    this->expect_depths(tree);
  }
  this->expect_pair_sums(test::random_binary_tree(600000, 7));
  // These trees go deep below the point where tasks begin to keep their siblings.
  this->expect_depths(test::random_binary_tree(600000, 7));
}

TYPED_TEST(TreeWalk, LargeChainsOfAMillion) {
  this->expect_sums(test::chain_tree(1000000));
  this->expect_depths(test::chain_tree(1000000));
  this->expect_pair_sums(test::comb_tree(500000));
  this->expect_depths(test::comb_tree(500000));
}

}  // namespace
}  // namespace copse::detail
