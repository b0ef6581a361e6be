// The topology of LBVHs over more leaves than one warp or block joins, and over keys that make deep trees.

#include <algorithm>
#include <random>

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "builders/geometry/morton.h"
#include "primitives/core/dispatch.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse::detail {

// The body: lbvh.inl, for either executor. It instantiates the walks of lbvh/reference.h for this test.
template <class Executor>
void build_by_walks(const Executor& ex, std::span<const TriangleView> views, u64 n, const LbvhOptions& options,
                    const BvhArrays& bvh);
template <class Executor>
u64 build_by_walks_scratch_bytes(const Executor& ex, u64 n, u64 view_count, const LbvhOptions& options);

}  // namespace copse::detail

namespace copse::test {

/// Returns the tree that build() with the same options returns, made by walks.
Bvh build_by_walks(Context& context, const TriangleViews& triangles, const LbvhOptions& options) {
  const u64 n = triangles.primitive_count();
  Bvh bvh = make_bvh(context, n);
  dispatch(context, [&](const auto& ex) {
    context.reserve_scratch(detail::build_by_walks_scratch_bytes(ex, n, triangles.views().size(), options));
    detail::build_by_walks(ex, triangles.views(), n, options, detail::arrays_of(bvh));
  });
  bvh.source_count = n;
  bvh.max_leaf_size = options.max_leaf_size;
  return bvh;
}

class LbvhJoin : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(LbvhJoin);

/// Returns the node that splits behind each leaf, from the deltas of sorted keys alone: the range of a split ends
/// where a delta is lower.
std::vector<u32> expected_parents(std::vector<u64> keys) {
  std::ranges::sort(keys);
  const u32 n = u32(keys.size());
  std::vector<u32> deltas, before(n), after(n, n), waiting, parents;
  for (u32 s = 0; s + 1 < n; ++s) {
    deltas.push_back(1 + common_prefix(keys[s], keys[s + 1], s));
    while (!waiting.empty() && deltas[waiting.back()] > deltas[s]) {
      after[waiting.back()] = s;
      waiting.pop_back();
    }
    before[s] = waiting.empty() ? n : waiting.back();
    waiting.push_back(s);
  }
  for (u32 s = 0; s + 1 < n; ++s) {
    const u32 delta_left = before[s] == n ? 0 : deltas[before[s]];
    const u32 delta_right = after[s] == n ? 0 : deltas[after[s]];
    const bool is_root = delta_left == 0 && delta_right == 0;
    parents.push_back(is_root ? 0 : delta_left > delta_right ? 2 * before[s] + 2 : 2 * after[s] + 1);
  }
  return parents;
}

void expect_tree_of(Context& context, const std::vector<vec3>& points) {
  std::vector<Aabb> boxes;
  Aabb bounds = Aabb::empty();
  for (const vec3& p : points) {
    boxes.push_back({p, p});
    bounds = merge(bounds, boxes.back());
  }
  std::vector<u64> keys;
  for (const vec3& p : points) keys.push_back(morton_key(p, bounds));

  const Buffer<Aabb> buffer(context, boxes);
  const Bvh bvh = build(context, BoxView{buffer.span()}, LbvhOptions{});
  const BvhCopy tree(bvh);
  ASSERT_EQ(tree.parents, expected_parents(keys)) << points.size() << " points";
  u32 inner_count = 0;
  for (u32 s = 0; s < tree.parents.size(); ++s) {
    const BvhNode& node = tree.nodes[tree.parents[s]];
    ASSERT_TRUE(node.count == 0 && node.first == 2 * s + 1) << "split " << s;
    ++inner_count;
  }
  ASSERT_EQ(inner_count + tree.counts.leaf_count, tree.nodes.size());
  const ValidationReport report = validate(context, bvh, BoxView{buffer.span()});
  ASSERT_TRUE(report.is_valid()) << points.size() << " points: " << report.message();
}

std::vector<vec3> random_points(u32 n) {
  std::mt19937 random(n);
  std::uniform_real_distribution<float> place(0, 1);
  std::vector<vec3> points;
  for (u32 i = 0; i < n; ++i) points.push_back(vec3(place(random), place(random), place(random)));
  return points;
}

/// Returns points whose keys have one bit each, `copies` of each: in sorted order, every delta is lower than the
/// one before.
std::vector<vec3> chain_of_points(u32 copies) {
  std::vector<vec3> points = {vec3(0), vec3(1)};
  for (u32 k = 0; k < 21; ++k) {
    for (u32 axis = 0; axis < 3; ++axis) {
      vec3 p(0);
      p[int(axis)] = 1.0f / float(2u << k);
      points.insert(points.end(), copies, p);
    }
  }
  return points;
}

TEST_P(LbvhJoin, TreesOfAFewTilesAreThoseOfTheirDeltas) {
  for (u32 n : {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257, 2047, 2048, 2049, 4095, 4097}) {
    expect_tree_of(context(), random_points(n));
  }
}

TEST_P(LbvhJoin, LargeTreesAreThoseOfTheirDeltas) {
  for (u32 n : {65536, 65537, 131073, 1000003}) expect_tree_of(context(), random_points(n));
}

TEST_P(LbvhJoin, LargestTreesTakeTwoLevelsOfBlocks) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "joins without levels";
  const DeviceMesh mesh(context(), generate_random(u64{64} * 64 * 4096 + 1, 0.001f));
  Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  EXPECT_TRUE(validate(context(), bvh, mesh.view()).is_valid());
  refit(context(), bvh, mesh.view());
  EXPECT_TRUE(validate(context(), bvh, mesh.view()).is_valid());
}

TEST_P(LbvhJoin, ChainsJoinAcrossTiles) {
  for (u32 copies : {1, 2, 3, 40, 100}) expect_tree_of(context(), chain_of_points(copies));
}

TEST_P(LbvhJoin, ChainsOfMirroredKeysJoinToo) {
  std::vector<vec3> points = chain_of_points(30);
  for (vec3& p : points) p = vec3(1) - p;
  expect_tree_of(context(), points);
}

TEST_P(LbvhJoin, EqualKeysMakeABalancedTree) {
  for (u32 n : {64, 1000, 5000, 40000}) expect_tree_of(context(), std::vector<vec3>(n, vec3(1, 2, 3)));
}

TEST_P(LbvhJoin, FewValuesAmongManyJoin) {
  std::vector<vec3> points = random_points(7);
  for (u32 i = 0; i < 30000; ++i) points.push_back(points[i * i % 7]);
  expect_tree_of(context(), points);
}

TEST_P(LbvhJoin, PlainWalksGiveTheSameTree) {
  for (u64 n : {0, 1, 2, 65, 5000, 300000}) {
    const DeviceMesh mesh(context(), generate_random(n, 0.05f));
    for (const LbvhOptions& options : {LbvhOptions{}, LbvhOptions{.max_leaf_size = 4}}) {
      const Bvh expected = build_by_walks(context(), mesh.view(), options);
      EXPECT_TRUE(same_bytes(BvhCopy(build(context(), mesh.view(), options)), BvhCopy(expected)))
          << n << " triangles, " << options.max_leaf_size << " in a leaf";
    }
  }
}

}  // namespace copse::test
