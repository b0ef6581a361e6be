#include "queries/point_neighbours.h"

#include <gtest/gtest.h>

#include "builders/grid/hash_grid.h"
#include "primitives/core/graph.h"
#include "tests/queries/neighbour_checks.h"
#include "tests/support/device_mesh.h"
#include "tests/support/values.h"

namespace copse {
namespace {

using test::hard_points;
using test::NamedPoints;
using test::nan;
using test::NeighbourOracle;
using test::query_points;
using test::random_points;
using test::typical_length;

class PointNeighbours : public test::NeighbourTest {
 protected:
  HashGrid build(const std::vector<vec3>& points, const HashGridOptions& options = {}) {
    return build_hash_grid(context(), Buffer<vec3>(context(), points).span(), options);
  }
};

TEST_P(PointNeighbours, WithinARadiusAreThoseOfBruteForceInHardSets) {
  for (const NamedPoints& hard : hard_points()) {
    SCOPED_TRACE(hard.name);
    const NeighbourOracle oracle(hard.points, query_points(hard.points, 20));
    const float length = typical_length(hard.points);
    for (const float cell_size : {0.0f, length, length / 64}) {
      const HashGrid grid = build(hard.points, {.cell_size = cell_size});
      for (const float radius : {0.0f, length / 8, length, infinity}) {
        ASSERT_NO_FATAL_FAILURE(expect_within(grid, oracle, radius));
      }
    }
  }
}

TEST_P(PointNeighbours, NearestAreThoseOfBruteForceInHardSets) {
  for (const NamedPoints& hard : hard_points()) {
    SCOPED_TRACE(hard.name);
    const NeighbourOracle oracle(hard.points, query_points(hard.points, 20));
    const float length = typical_length(hard.points);
    for (const float cell_size : {0.0f, length, length / 64}) {
      const HashGrid grid = build(hard.points, {.cell_size = cell_size});
      for (const u32 k : {1u, 7u, 20u}) ASSERT_NO_FATAL_FAILURE(expect_nearest(grid, oracle, k));
      ASSERT_NO_FATAL_FAILURE(expect_nearest(grid, oracle, 5, length));
    }
  }
}

/// With so many buckets, rows do not share any, so the cells of points are not checked.
TEST_P(PointNeighbours, AreThoseOfBruteForceInLargeSets) {
  std::vector<vec3> even = random_points(40000, 21), uneven = even;
  for (vec3& p : uneven) p = p * p * p * p * vec3(1, 3, 0.1f);
  for (const std::vector<vec3>* points : {&even, &uneven}) {
    const NeighbourOracle oracle(*points, query_points(*points, 24));
    for (const float each : {0.3f, 2.0f, 30.0f}) {
      const HashGrid grid = build(*points, {.points_per_cell = each});
      for (const float radius : {0.01f, 0.04f, 0.1f}) {
        ASSERT_NO_FATAL_FAILURE(expect_within(grid, oracle, radius));
      }
      for (const u32 k : {8u, 40u}) ASSERT_NO_FATAL_FAILURE(expect_nearest(grid, oracle, k));
    }
  }
}

TEST_P(PointNeighbours, NearestOfAnyNumberAreSorted) {
  const std::vector<vec3> points = random_points(100, 1);
  const NeighbourOracle oracle(points, query_points(points, 10));
  const HashGrid grid = build(points);
  for (const u32 k : {1u, 2u, 8u, 9u, 16u, 17u, 64u, 99u, 100u, 130u}) {
    ASSERT_NO_FATAL_FAILURE(expect_nearest(grid, oracle, k));
  }
}

/// From 2^14 on, points are processed in another order than theirs.
TEST_P(PointNeighbours, ManyPointsGetTheirOwnAnswers) {
  const std::vector<vec3> points = random_points(400, 2);
  const HashGrid grid = build(points);
  for (const u32 count : {16383u, 16384u, 20001u}) {
    std::vector<vec3> queries = random_points(count, 3, -0.2f, 1.2f);
    queries[7].y = nan;
    queries[count - 1].z = infinity;
    const NeighbourOracle oracle(points, queries, 0.2f);
    ASSERT_NO_FATAL_FAILURE(expect_nearest(grid, oracle, 3, 0.2f));
    ASSERT_NO_FATAL_FAILURE(expect_within(grid, oracle, 0.1f));
  }
}

TEST_P(PointNeighbours, RadiiHoldToTheLastBit) {
  const HashGrid grid = build({vec3(0), vec3(3, 4, 0)});
  const std::vector<vec3> queries{vec3(0)};
  const auto count = [&](float radius) {
    const Buffer<vec3> device(context(), queries);
    Buffer<u32> counts(context(), 1);
    count_neighbours(context(), grid.view(), device.span(), radius, counts.span());
    return counts.download()[0];
  };
  EXPECT_EQ(count(5), 2u);
  EXPECT_EQ(count(std::nextafter(5.0f, 0.0f)), 1u);
  EXPECT_EQ(count(0), 1u);
  EXPECT_EQ(count(infinity), 2u);
  for (const float radius : {-1.0f, -infinity, nan}) EXPECT_EQ(count(radius), 0u) << radius;
}

/// Points come cell by cell, along x first, then y, then z; in a cell by ids.
TEST_P(PointNeighbours, ListsComeInTheOrderOfCells) {
  const std::vector<vec3> points = random_points(3000, 4, 0, 8);
  const HashGrid grid = build(points, {.cell_size = 1});
  const HashGridShape shape = grid.shape.download()[0];
  const std::vector<vec3> queries = random_points(200, 5, 0, 8);
  const Buffer<vec3> device(context(), queries);
  const NeighbourLists lists = all_neighbours(context(), grid.view(), device.span(), 1.5f);
  const std::vector<u64> offsets = lists.offsets.download();
  const std::vector<u32> neighbours = lists.neighbours.download();
  ASSERT_GT(neighbours.size(), 1000u);
  for (size_t i = 0; i < queries.size(); ++i) {
    for (u64 at = offsets[i] + 1; at < offsets[i + 1]; ++at) {
      const u32 ids[2] = {neighbours[at - 1], neighbours[at]};
      const uvec3 a = shape.cell_of(points[ids[0]]), b = shape.cell_of(points[ids[1]]);
      ASSERT_LT(std::make_tuple(a.z, a.y, a.x, ids[0]), std::make_tuple(b.z, b.y, b.x, ids[1])) << i;
    }
  }
}

TEST_P(PointNeighbours, RefuseSpansThatDoNotFit) {
  const std::vector<vec3> points = random_points(10, 6);
  const HashGrid grid = build(points);
  const Buffer<vec3> queries(context(), random_points(4, 7));
  Buffer<u32> counts(context(), 3);
  Buffer<u64> offsets(context(), 4);
  Buffer<PointNeighbour> nearest(context(), 6);
  EXPECT_COPSE_ERROR(count_neighbours(context(), grid.view(), queries.span(), 1, counts.span()),
                     ErrorCode::invalid_argument, "3 results, but the number of points is 4");
  EXPECT_COPSE_ERROR(find_neighbours(context(), grid.view(), queries.span(), 1, offsets.span(), counts.span()),
                     ErrorCode::invalid_argument, "4 offsets for 4 points");
  const BufferSpan<u32> over(reinterpret_cast<u32*>(offsets.data()), 2);
  EXPECT_COPSE_ERROR(find_neighbours(context(), grid.view(), queries.span().first(3), 1, offsets.span(), over),
                     ErrorCode::invalid_argument, "overlap");
  EXPECT_COPSE_ERROR(nearest_neighbours(context(), grid.view(), queries.span(), nearest.span()),
                     ErrorCode::invalid_argument, "room for 6 neighbours, no multiple of 4");
  EXPECT_COPSE_ERROR(all_neighbours(context(), HashGridView{}, queries.span(), 1), ErrorCode::invalid_argument,
                     "0 buckets");
}

TEST_P(PointNeighbours, AreAskedAgainByACapturedGraph) {
  const std::vector<vec3> points = random_points(500, 8), other = random_points(500, 9);
  const HashGrid grid = build(points);
  Buffer<vec3> queries(context(), points);
  Buffer<u64> offsets(context(), queries.size() + 1);
  Buffer<u32> neighbours(context(), 100000);
  Buffer<PointNeighbour> nearest(context(), 4 * queries.size());
  const auto work = [&] {
    find_neighbours(context(), grid.view(), queries.span(), 0.2f, offsets.span(), neighbours.span());
    nearest_neighbours(context(), grid.view(), queries.span(), nearest.span());
  };
  work();
  Graph graph = context().capture(work);
  queries.upload(other);
  graph.launch();
  const NeighbourLists expected = all_neighbours(context(), grid.view(), queries.span(), 0.2f);
  EXPECT_EQ(offsets.download(), expected.offsets.download());
  EXPECT_EQ(neighbours.download(expected.neighbours.size()), expected.neighbours.download());
  EXPECT_TRUE(test::same_bytes(nearest.download(), find_nearest(grid, other, 4, infinity)));
}

COPSE_ON_EACH_BACKEND(PointNeighbours);

TEST(PointNeighboursOnBoth, GiveTheSameBytesOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  for (const NamedPoints& set : test::hard_and_many_points()) {
    test::expect_same_neighbours_on_both(
        set, [](Context& context, const PositionSpan& points) { return build_hash_grid(context, points); });
  }
}

}  // namespace
}  // namespace copse
