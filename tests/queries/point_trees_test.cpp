#include "queries/kd_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "builders/grid/hash_grid.h"
#include "builders/points/kd_tree.h"
#include "builders/points/point_bvh.h"
#include "primitives/core/graph.h"
#include "queries/point_neighbours.h"
#include "tests/queries/points_oracle.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse {
namespace {

using test::brute_force_order;
using test::hard_points;
using test::NamedPoints;
using test::query_points;
using test::random_points;
using test::typical_length;

class PointTrees : public test::OnEachBackend {
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

  /// Compares counts and lists within a radius with brute force, also for lists without enough room.
  template <class Structure>
  void expect_within(const Structure& tree, const std::vector<vec3>& points, const std::vector<vec3>& queries,
                     float radius) {
    SCOPED_TRACE("radius " + std::to_string(radius));
    const Buffer<vec3> device(context(), queries);
    Buffer<u32> counts(context(), queries.size());
    count_neighbours(context(), tree.view(), device.span(), radius, counts.span());
    const NeighbourLists lists = all_neighbours(context(), tree.view(), device.span(), radius);
    const std::vector<u32> got_counts = counts.download(), neighbours = lists.neighbours.download();
    const std::vector<u64> offsets = lists.offsets.download();
    ASSERT_EQ(offsets.back(), neighbours.size());
    for (size_t i = 0; i < queries.size(); ++i) {
      std::vector<u32> expected;
      for (const auto& [square, id] : brute_force_order(points, queries[i], radius)) expected.push_back(id);
      std::sort(expected.begin(), expected.end());
      std::vector<u32> got(neighbours.begin() + i64(offsets[i]), neighbours.begin() + i64(offsets[i + 1]));
      std::sort(got.begin(), got.end());
      ASSERT_EQ(got, expected) << i;
      ASSERT_EQ(got_counts[i], expected.size()) << i;
    }
    const u64 room = neighbours.size() / 2;
    Buffer<u64> again(context(), offsets.size());
    Buffer<u32> some(context(), std::vector<u32>(room + 1, 12345));
    find_neighbours(context(), tree.view(), device.span(), radius, again.span(), some.span().first(room));
    const std::vector<u32> got_some = some.download();
    EXPECT_EQ(again.download(), offsets);
    EXPECT_TRUE(std::equal(got_some.begin(), got_some.begin() + i64(room), neighbours.begin()));
    EXPECT_EQ(got_some[room], 12345u);
  }

  template <class Structure>
  std::vector<PointNeighbour> find_nearest(const Structure& structure, const std::vector<vec3>& queries, u32 k,
                                           float max_distance) {
    const Buffer<vec3> device(context(), queries);
    Buffer<PointNeighbour> neighbours(context(), queries.size() * k);
    nearest_neighbours(context(), structure.view(), device.span(), neighbours.span(), max_distance);
    return neighbours.download();
  }

  template <class Structure>
  void expect_nearest(const Structure& tree, const std::vector<vec3>& points, const std::vector<vec3>& queries,
                      u32 k, float max_distance = infinity) {
    SCOPED_TRACE("k " + std::to_string(k) + ", up to " + std::to_string(max_distance));
    const std::vector<PointNeighbour> got = find_nearest(tree, queries, k, max_distance);
    for (size_t i = 0; i < queries.size(); ++i) {
      const auto order = brute_force_order(points, queries[i], max_distance);
      for (u32 j = 0; j < k; ++j) {
        ASSERT_EQ(got[i * k + j].point, j < order.size() ? order[j].second : invalid_id) << i << ", " << j;
        ASSERT_EQ(got[i * k + j].distance, j < order.size() ? std::sqrt(order[j].first) : infinity) << i;
      }
    }
  }
};

TEST_P(PointTrees, WithinARadiusAreThoseOfBruteForceInHardSets) {
  for (const NamedPoints& hard : hard_points()) {
    SCOPED_TRACE(hard.name);
    const std::vector<vec3> queries = query_points(hard.points, 20);
    const float length = typical_length(hard.points);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    on_each(hard.points, [&](const auto& tree) {
      for (const float radius : {0.0f, length / 8, length, infinity, -1.0f, nan}) {
        ASSERT_NO_FATAL_FAILURE(expect_within(tree, hard.points, queries, radius));
      }
    });
  }
}

TEST_P(PointTrees, NearestAreThoseOfBruteForceInHardSets) {
  for (const NamedPoints& hard : hard_points()) {
    SCOPED_TRACE(hard.name);
    const std::vector<vec3> queries = query_points(hard.points, 20);
    on_each(hard.points, [&](const auto& tree) {
      for (const u32 k : {1u, 7u, 16u, 17u, 70u}) {
        ASSERT_NO_FATAL_FAILURE(expect_nearest(tree, hard.points, queries, k));
      }
      ASSERT_NO_FATAL_FAILURE(expect_nearest(tree, hard.points, queries, 5, typical_length(hard.points)));
    });
  }
}

TEST_P(PointTrees, OfEverySizeAreThoseOfBruteForce) {
  for (u32 size = 0; size <= 70; ++size) {
    const std::vector<vec3> points = random_points(size, size);
    SCOPED_TRACE(size);
    on_each(points, [&](const auto& tree) { expect_nearest(tree, points, query_points(points, 5), 3); });
  }
}

TEST_P(PointTrees, AreThoseOfBruteForceInLargeSets) {
  std::vector<vec3> even = random_points(40000, 21), uneven = even, lattice = even;
  for (vec3& p : uneven) p = p * p * p * p * vec3(1, 3, 0.1f);
  for (vec3& p : lattice) p = vec3(std::round(p.x * 20), std::round(p.y * 20), std::round(p.z * 20)) / 20.0f;
  for (const std::vector<vec3>* points : {&even, &uneven, &lattice}) {
    const std::vector<vec3> queries = query_points(*points, 24);
    on_each(*points, [&](const auto& tree) {
      ASSERT_NO_FATAL_FAILURE(expect_within(tree, *points, queries, 0.05f));
      for (const u32 k : {8u, 40u}) ASSERT_NO_FATAL_FAILURE(expect_nearest(tree, *points, queries, k));
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
                       ErrorCode::invalid_argument, "3 results, but 4");
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

template <class Build>
void expect_same_bytes_on_both(const NamedPoints& set, const Build& build) {
  SCOPED_TRACE(set.name);
  const float radius = set.points.size() > 10000 ? 0.05f : typical_length(set.points);
  std::vector<u64> offsets[2];
  std::vector<u32> neighbours[2];
  std::vector<PointNeighbour> nearest[2];
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    Context context({.backend = backend});
    const Buffer<vec3> points(context, set.points);
    const auto tree = build(context, points.span());
    const NeighbourLists lists = all_neighbours(context, tree.view(), points.span(), radius);
    Buffer<PointNeighbour> few(context, 6 * set.points.size());
    nearest_neighbours(context, tree.view(), points.span(), few.span());
    const bool on_cuda = backend == Backend::cuda;
    offsets[on_cuda] = lists.offsets.download();
    neighbours[on_cuda] = lists.neighbours.download();
    nearest[on_cuda] = few.download();
  }
  EXPECT_EQ(offsets[0], offsets[1]);
  EXPECT_EQ(neighbours[0], neighbours[1]);
  EXPECT_TRUE(test::same_bytes(nearest[0], nearest[1]));
}

TEST(PointTreesOnBoth, GiveTheSameBytesOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  std::vector<NamedPoints> sets = hard_points();
  sets.push_back({"many", random_points(50000, 10)});
  for (const NamedPoints& set : sets) {
    expect_same_bytes_on_both(
        set, [](Context& context, const PositionSpan& points) { return build_kd_tree(context, points); });
    expect_same_bytes_on_both(
        set, [](Context& context, const PositionSpan& points) { return build_point_bvh(context, points); });
  }
}

}  // namespace
}  // namespace copse
