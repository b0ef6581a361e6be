#include "queries/kd_points.h"

#include <gtest/gtest.h>

#include "builders/grid/hash_grid.h"
#include "builders/points/kd_tree.h"
#include "builders/points/point_bvh.h"
#include "primitives/core/graph.h"
#include "tests/queries/neighbour_checks.h"
#include "tests/support/device_mesh.h"

namespace copse {
namespace {

using test::hard_points;
using test::NamedPoints;
using test::NeighbourOracle;
using test::query_points;
using test::random_points;
using test::typical_length;

class PointTrees : public test::NeighbourTest {
 protected:
  /// Calls check(structure) with each structure that searches need no radius for.
  template <class Check>
  void on_each(const std::vector<vec3>& points, const Check& check) {
    const Buffer<vec3> device(context(), points);
    {
      SCOPED_TRACE("kd-tree");
      check(build_kd_tree(context(), device.span()));
    }
    if (HasFatalFailure()) return;
    SCOPED_TRACE("point BVH");
    check(build_point_bvh(context(), device.span()));
  }
};

TEST_P(PointTrees, WithinARadiusAreThoseOfBruteForceInHardSets) {
  for (const NamedPoints& hard : hard_points()) {
    SCOPED_TRACE(hard.name);
    const NeighbourOracle oracle(hard.points, query_points(hard.points, 20));
    const float length = typical_length(hard.points);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    on_each(hard.points, [&](const auto& tree) {
      for (const float radius : {0.0f, length / 8, length, infinity, -1.0f, nan}) {
        ASSERT_NO_FATAL_FAILURE(expect_within(tree, oracle, radius));
      }
    });
  }
}

TEST_P(PointTrees, NearestAreThoseOfBruteForceInHardSets) {
  for (const NamedPoints& hard : hard_points()) {
    SCOPED_TRACE(hard.name);
    const NeighbourOracle oracle(hard.points, query_points(hard.points, 20));
    on_each(hard.points, [&](const auto& tree) {
      for (const u32 k : {1u, 7u, 16u, 17u, 70u}) {
        ASSERT_NO_FATAL_FAILURE(expect_nearest(tree, oracle, k));
      }
      ASSERT_NO_FATAL_FAILURE(expect_nearest(tree, oracle, 5, typical_length(hard.points)));
    });
  }
}

TEST_P(PointTrees, OfEverySizeAreThoseOfBruteForce) {
  for (u32 size = 0; size <= 70; ++size) {
    const std::vector<vec3> points = random_points(size, size);
    SCOPED_TRACE(size);
    const NeighbourOracle oracle(points, query_points(points, 5));
    on_each(points, [&](const auto& tree) { expect_nearest(tree, oracle, 3); });
  }
}

TEST_P(PointTrees, AreThoseOfBruteForceInLargeSets) {
  std::vector<vec3> even = random_points(40000, 21), uneven = even, lattice = even;
  for (vec3& p : uneven) p = p * p * p * p * vec3(1, 3, 0.1f);
  for (vec3& p : lattice) p = vec3(std::round(p.x * 20), std::round(p.y * 20), std::round(p.z * 20)) / 20.0f;
  for (const std::vector<vec3>* points : {&even, &uneven, &lattice}) {
    const NeighbourOracle oracle(*points, query_points(*points, 24));
    on_each(*points, [&](const auto& tree) {
      ASSERT_NO_FATAL_FAILURE(expect_within(tree, oracle, 0.05f));
      for (const u32 k : {8u, 40u}) ASSERT_NO_FATAL_FAILURE(expect_nearest(tree, oracle, k));
    });
  }
}

/// From 2^14 on, queries are processed in another order than theirs. The nearest points do not depend on the
/// structure.
TEST_P(PointTrees, OfManyQueriesAreThoseOfAHashGrid) {
  const std::vector<vec3> points = random_points(3000, 2);
  const HashGrid grid = build_hash_grid(context(), Buffer<vec3>(context(), points).span());
  std::vector<vec3> queries = random_points(20001, 3, -0.2f, 1.2f);
  queries[7].y = std::numeric_limits<float>::quiet_NaN();
  queries[20000].z = infinity;
  on_each(points, [&](const auto& tree) {
    for (const u32 k : {1u, 8u, 11u, 30u}) {
      EXPECT_TRUE(test::same_bytes(find_nearest(tree, queries, k, 0.3f), find_nearest(grid, queries, k, 0.3f)));
    }
  });
}

TEST_P(PointTrees, AreAskedAgainByACapturedGraph) {
  const std::vector<vec3> points = random_points(500, 8), other = random_points(500, 9);
  on_each(points, [&](const auto& tree) {
    Buffer<vec3> queries(context(), points);
    Buffer<PointNeighbour> nearest(context(), 4 * queries.size());
    const auto work = [&] { nearest_neighbours(context(), tree.view(), queries.span(), nearest.span()); };
    work();
    Graph graph = context().capture(work);
    queries.upload(other);
    graph.launch();
    EXPECT_TRUE(test::same_bytes(nearest.download(), find_nearest(tree, other, 4, infinity)));
  });
}

TEST_P(PointTrees, RefuseSpansThatDoNotFit) {
  const Buffer<vec3> queries(context(), random_points(4, 7));
  Buffer<u32> counts(context(), 3);
  Buffer<u64> offsets(context(), 4);
  Buffer<PointNeighbour> nearest(context(), 6);
  on_each(random_points(10, 6), [&](const auto& tree) {
    EXPECT_COPSE_ERROR(count_neighbours(context(), tree.view(), queries.span(), 1, counts.span()),
                       ErrorCode::invalid_argument, "3 results, but the number of points is 4");
    EXPECT_COPSE_ERROR(find_neighbours(context(), tree.view(), queries.span(), 1, offsets.span(), counts.span()),
                       ErrorCode::invalid_argument, "4 offsets for 4 points");
    EXPECT_COPSE_ERROR(nearest_neighbours(context(), tree.view(), queries.span(), nearest.span()),
                       ErrorCode::invalid_argument, "room for 6 neighbours, no multiple of 4");
  });
  EXPECT_COPSE_ERROR(all_neighbours(context(), KdTreeView{}, queries.span(), 1), ErrorCode::invalid_argument,
                     "the kd-tree has no counts, it was never built");
  EXPECT_COPSE_ERROR(all_neighbours(context(), PointBvhView{}, queries.span(), 1), ErrorCode::invalid_argument,
                     "the point BVH has no counts, it was never built");
}

COPSE_ON_EACH_BACKEND(PointTrees);

TEST(PointTreesOnBoth, GiveTheSameBytesOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  for (const NamedPoints& set : test::hard_and_many_points()) {
    test::expect_same_neighbours_on_both(
        set, [](Context& context, const PositionSpan& points) { return build_kd_tree(context, points); });
    test::expect_same_neighbours_on_both(
        set, [](Context& context, const PositionSpan& points) { return build_point_bvh(context, points); });
  }
}

}  // namespace
}  // namespace copse
