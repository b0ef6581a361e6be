// Refit of trees whose nodes are in any order: near their relatives, as builders place them, or anywhere, as in
// files.

#include <algorithm>
#include <random>

#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse::test {

class RefitOrder : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(RefitOrder);

enum class Shape { halves, anywhere, chain };
enum class Order { by_split, from_the_root, shuffled };

/// A tree over n boxes, one per leaf, made from the top down without recursion.
struct OrderedTree {
  std::vector<BvhNode> nodes;
  std::vector<u32> parents, ids;
  std::vector<Aabb> boxes;

  OrderedTree(u32 n, Shape shape, Order order)
      : nodes(node_capacity(n)), parents(pair_capacity(n)), ids(n), boxes(n) {
    std::mt19937 random(n + 7 * u32(shape) + 31 * u32(order));
    for (u32 i = 0; i < n; ++i) {
      ids[i] = i;
      const vec3 corner = vec3(float(random() % 1000), float(random() % 1000), float(random() % 1000));
      boxes[i] = {corner, corner + vec3(float(random() % 8))};
    }
    std::shuffle(ids.begin(), ids.end(), random);
    std::vector<u32> pair_numbers(pair_capacity(n));
    for (u32 i = 0; i < pair_numbers.size(); ++i) pair_numbers[i] = i;
    if (order == Order::shuffled) std::shuffle(pair_numbers.begin(), pair_numbers.end(), random);
    split_all(n, shape, order, pair_numbers, random);
    fit();
  }

  Bvh upload(Context& context) const {
    Bvh bvh = make_bvh(context, ids.size());
    std::vector<BvhNode> unfitted = nodes;
    for (BvhNode& node : unfitted) node.lo = node.hi = vec3(-77);
    const u32 leaves = u32(ids.size());
    bvh.nodes.upload(unfitted);
    if (!parents.empty()) bvh.parents.upload(parents);
    bvh.primitive_ids.upload(ids);
    bvh.counts.upload(std::vector<BvhCounts>{{2 * leaves - 1, leaves, leaves, 0}});
    bvh.source_count = leaves;
    return bvh;
  }

 private:
  struct Range {
    u32 begin, end, node;
  };

  void split_all(u32 n, Shape shape, Order order, const std::vector<u32>& pair_numbers, std::mt19937& random) {
    std::vector<Range> waiting = {{0, n, 0}};
    for (u32 taken = 0, next_pair = 0; taken < waiting.size(); ++taken) {
      const Range range = waiting[taken];
      top_down.push_back(range.node);
      const u32 size = range.end - range.begin;
      if (size == 1) {
        nodes[range.node] = BvhNode::leaf(Aabb::empty(), range.begin, 1);
        continue;
      }
      const u32 left_size = shape == Shape::halves  ? size / 2
                            : shape == Shape::chain ? 1
                                                    : 1 + random() % (size - 1);
      const u32 split = range.begin + left_size;
      const u32 pair = order == Order::by_split ? split - 1 : pair_numbers[next_pair++];
      nodes[range.node] = BvhNode::inner(Aabb::empty(), 2 * pair + 1);
      parents[pair] = range.node;
      waiting.push_back({range.begin, split, 2 * pair + 1});
      waiting.push_back({split, range.end, 2 * pair + 2});
    }
  }
  void fit() {
    for (auto node = top_down.rbegin(); node != top_down.rend(); ++node) {
      BvhNode& own = nodes[*node];
      const Aabb box =
          own.is_leaf() ? boxes[ids[own.first]] : merge(nodes[own.first].box(), nodes[own.first + 1].box());
      own.lo = box.lo;
      own.hi = box.hi;
    }
  }

  std::vector<u32> top_down;
};

/// Sizes around one row of 32 pairs, several rows, and many rows.
std::vector<u32> tree_sizes() {
  return {1, 2, 3, 17, 32, 33, 34, 64, 65, 66, 127, 129, 130, 257, 1000, 8193, 20000};
}

TEST_P(RefitOrder, EveryNodeIsFittedWhereverItStands) {
  for (u32 n : tree_sizes()) {
    for (Shape shape : {Shape::halves, Shape::anywhere, Shape::chain}) {
      for (Order order : {Order::by_split, Order::from_the_root, Order::shuffled}) {
        const OrderedTree tree(n, shape, order);
        Bvh bvh = tree.upload(context());
        const Buffer<Aabb> boxes(context(), tree.boxes);
        for (int repeat = 0; repeat < 2; ++repeat) {
          refit(context(), bvh, BoxView{boxes.span()});
          ASSERT_TRUE(same_bytes(tree.nodes, bvh.nodes.download()))
              << n << " leaves, shape " << int(shape) << ", order " << int(order);
        }
      }
    }
  }
}

TEST_P(RefitOrder, LargeTreesOfEveryOrderAreFitted) {
  for (Order order : {Order::by_split, Order::from_the_root, Order::shuffled}) {
    const OrderedTree tree(700000, Shape::anywhere, order);
    Bvh bvh = tree.upload(context());
    const Buffer<Aabb> boxes(context(), tree.boxes);
    refit(context(), bvh, BoxView{boxes.span()});
    EXPECT_TRUE(same_bytes(tree.nodes, bvh.nodes.download())) << int(order);
  }
}

TEST_P(RefitOrder, BuiltTreesGetTheBoxesThatTheyWereBuiltWith) {
  for (u64 n : {1, 2, 255, 257, 600, 9000, 70000}) {
    const DeviceMesh mesh(context(), generate_random(n, 0.05f));
    for (u32 leaf : {1, 3}) {
      for (bool clusters : {false, true}) {
        Bvh bvh = clusters ? build(context(), mesh.view(), HplocOptions{.max_leaf_size = leaf})
                           : build(context(), mesh.view(), LbvhOptions{.max_leaf_size = leaf});
        const BvhCopy before(bvh);
        refit(context(), bvh, mesh.view());
        ASSERT_TRUE(same_bytes(before, BvhCopy(bvh))) << n << " triangles, " << leaf << " a leaf, " << clusters;
      }
    }
  }
}

TEST_P(RefitOrder, ScratchIsWhatIsSaid) {
  for (u64 n : {1, 300, 70000}) {
    const DeviceMesh mesh(context(), generate_random(n, 0.05f));
    Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
    Context fresh({.backend = GetParam(), .stream = context().stream()});
    refit(fresh, bvh, mesh.view());
    const u64 bytes_a_triangle = GetParam() == Backend::cpu ? 4 : 9;
    EXPECT_LE(fresh.scratch_bytes(), bytes_a_triangle * n + 4096) << n;
  }
}

TEST_P(RefitOrder, LargeMeshesHaveRoomForPrecomputedBounds) {
  const u64 n = u64{1} << 22;
  const DeviceMesh mesh(context(), generate_random(n, 0.01f));
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  const BvhCopy before(bvh);
  spoil_boxes(bvh);
  Context fresh({.backend = GetParam(), .stream = context().stream()});
  refit(fresh, bvh, mesh.view());
  ASSERT_TRUE(same_bytes(before, BvhCopy(bvh)));
  const u64 bytes_a_triangle = GetParam() == Backend::cpu ? 4 : 9 + 32;
  EXPECT_LE(fresh.scratch_bytes(), bytes_a_triangle * n + 4096);
}

}  // namespace copse::test
