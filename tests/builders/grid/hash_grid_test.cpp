#include "builders/grid/hash_grid.h"

#include <gtest/gtest.h>
#include <glm/common.hpp>

#include <algorithm>
#include <cstring>

#include "builders/grid/hash_grid_stats.h"
#include "builders/grid/hash_grid_validate.h"
#include "primitives/core/graph.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_points.h"
#include "tests/support/sizes.h"

namespace copse {
namespace {

using test::hard_points;
using test::NamedPoints;
using test::random_points;

/// The content of a grid, on the host.
struct HashGridCopy {
  HashGridShape shape;
  HashGridCounts counts;
  std::vector<u32> begins;
  std::vector<GridPoint> points;

  explicit HashGridCopy(const HashGrid& grid)
      : shape(grid.shape.download()[0]),
        counts(grid.counts.download()[0]),
        begins(grid.bucket_begins.download()),
        points(grid.points.download(counts.point_count)) {}
};

bool same_bytes(const HashGridCopy& a, const HashGridCopy& b) {
  return std::memcmp(&a.shape, &b.shape, sizeof a.shape) == 0 &&
         std::memcmp(&a.counts, &b.counts, sizeof a.counts) == 0 && test::same_bytes(a.begins, b.begins) &&
         test::same_bytes(a.points, b.points);
}

class HashGrids : public test::OnEachBackend {
 protected:
  HashGrid build(const std::vector<vec3>& points, const HashGridOptions& options = {}) {
    return build_hash_grid(context(), Buffer<vec3>(context(), points).span(), options);
  }
  void expect_valid(const HashGrid& grid, const std::vector<vec3>& points) {
    const Buffer<vec3> device(context(), points);
    const ValidationReport faults = validate(context(), grid, device.span());
    EXPECT_TRUE(faults.is_valid()) << faults.message();
  }
};

TEST_P(HashGrids, HoldEveryPointOnceInTheBucketOfItsCell) {
  for (const NamedPoints& hard : hard_points()) {
    for (const float cell_size : {0.0f, 0.1f, 1e-30f, 1e30f}) {
      SCOPED_TRACE(hard.name + ", cells of " + std::to_string(cell_size));
      const HashGrid grid = build(hard.points, {.cell_size = cell_size});
      expect_valid(grid, hard.points);
      const HashGridStats measured = stats(context(), grid);
      EXPECT_EQ(measured.counts.invalid_count, hard.invalid_count);
      EXPECT_EQ(measured.counts.point_count, hard.points.size() - hard.invalid_count);
    }
  }
}

TEST_P(HashGrids, OfAnySizeAreValid) {
  for (const u64 size : test::boundary_sizes()) {
    SCOPED_TRACE(size);
    const std::vector<vec3> points = random_points(size, u32(size));
    expect_valid(build(points), points);
  }
}

/// The oracle: each point's cell by division in double precision, for cells that are powers of two.
TEST_P(HashGrids, PointsStandWhereTheirCellSays) {
  const std::vector<vec3> points = random_points(2000, 9, -3, 3);
  const HashGridCopy grid(build(points, {.cell_size = 0.25f}));
  vec3 lo(infinity);
  for (const vec3& p : points) lo = glm::min(lo, p);
  EXPECT_EQ(grid.shape.lo, dvec3(lo));
  EXPECT_EQ(grid.shape.cells_per_unit, 4.0);
  std::vector<u32> seen(points.size());
  for (u32 bucket = 0; bucket < grid.shape.bucket_count; ++bucket) {
    for (u32 at = grid.begins[bucket]; at < grid.begins[bucket + 1]; ++at) {
      const GridPoint& point = grid.points[at];
      ++seen[point.id];
      ASSERT_EQ(point.position, points[point.id]);
      const dvec3 cell = glm::floor((dvec3(point.position) - dvec3(lo)) / 0.25);
      ASSERT_EQ(grid.shape.bucket_of(uvec3(cell)), bucket);
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1u), i64(points.size()));
}

TEST_P(HashGrids, CellsByDensityHoldAboutAsManyPointsAsAskedFor) {
  std::vector<vec3> cube = random_points(20000, 5), plane = cube, line = cube;
  for (vec3& p : plane) p.z = 1;
  for (vec3& p : line) p.y = p.z = 1;
  for (const std::vector<vec3>* points : {&cube, &plane, &line}) {
    for (const float each : {0.5f, 2.0f, 100.0f}) {
      const HashGridShape shape = build(*points, {.points_per_cell = each}).shape.download()[0];
      const double cells = double(shape.resolution.x) * shape.resolution.y * shape.resolution.z;
      EXPECT_GT(20000 / cells, 0.4 * each);
      EXPECT_LT(20000 / cells, 1.5 * each);
    }
  }
}

TEST_P(HashGrids, StatisticsCountBuckets) {
  const HashGrid grid = build({vec3(0), vec3(0.1f), vec3(5), vec3(0.2f)}, {.cell_size = 1});
  const HashGridStats measured = stats(context(), grid);
  EXPECT_EQ(measured.resolution, uvec3(6));
  EXPECT_EQ(measured.cell_size, 1);
  EXPECT_EQ(measured.bucket_count, 4u);
  const HashGridShape shape = grid.shape.download()[0];
  const bool share = shape.bucket_of(uvec3(0)) == shape.bucket_of(uvec3(5));
  EXPECT_EQ(measured.occupied_count, share ? 1u : 2u);
  EXPECT_EQ(measured.shared_count, share ? 1u : 0u);
  EXPECT_EQ(measured.largest_bucket, share ? 4u : 3u);
  EXPECT_EQ(measured.size_bytes, grid.size_bytes());
  EXPECT_EQ(grid.size_bytes(), hash_grid_sizes(context(), 4).result_bytes);
}

TEST_P(HashGrids, AreRebuiltByACapturedGraph) {
  const std::vector<vec3> before = random_points(3000, 6), after = random_points(3000, 7, -100, 5);
  Buffer<vec3> points(context(), before);
  HashGrid grid = build_hash_grid(context(), points.span());
  Graph graph = context().capture([&] { rebuild_hash_grid(context(), grid, points.span()); });
  points.upload(after);
  graph.launch();
  expect_valid(grid, after);
  EXPECT_TRUE(same_bytes(HashGridCopy(grid), HashGridCopy(build(after))));
}

TEST_P(HashGrids, AreRebuiltOverFewerPoints) {
  HashGrid grid = build(random_points(1000, 8));
  for (const u64 size : {1000u, 999u, 10u, 1u, 0u}) {
    const std::vector<vec3> points = random_points(size, 9);
    rebuild_hash_grid(context(), grid, Buffer<vec3>(context(), points).span());
    expect_valid(grid, points);
  }
}

TEST_P(HashGrids, TakePointsFromLargerRecords) {
  const std::vector<vec3> points = random_points(500, 10);
  std::vector<float> records;
  for (const vec3& p : points) records.insert(records.end(), {p.x, p.y, p.z, 9, 9});
  const Buffer<float> device(context(), records);
  const PositionSpan span(reinterpret_cast<const vec3*>(device.data()), points.size(), 5 * sizeof(float));
  EXPECT_TRUE(same_bytes(HashGridCopy(build_hash_grid(context(), span)), HashGridCopy(build(points))));
}

TEST_P(HashGrids, ValidationFindsWhatIsWrong) {
  const std::vector<vec3> points = random_points(300, 11);
  const Buffer<vec3> device(context(), points);
  const auto after = [&](const auto& change) {
    HashGrid grid = build(points);
    change(grid);
    return validate(context(), grid, device.span());
  };
  const auto edit = [](auto& buffer, u64 at, const auto& change) {
    auto values = buffer.download();
    change(values[at]);
    buffer.upload(values);
  };
  EXPECT_TRUE(after([](HashGrid&) {}).is_valid());
  EXPECT_GT(after([&](HashGrid& g) {
              edit(g.points, 7, [](GridPoint& p) { p.position.x += 1e-3f; });
            }).count("bad_points"),
            0u);
  EXPECT_GT(after([&](HashGrid& g) { edit(g.points, 7, [](GridPoint& p) { p.id = 300; }); }).count("bad_points"),
            0u);
  EXPECT_GT(after([&](HashGrid& g) {
              auto values = g.points.download();
              std::swap(values.front(), values.back());
              g.points.upload(values);
            }).count("wrong_buckets"),
            0u);
  EXPECT_GT(after([&](HashGrid& g) { edit(g.bucket_begins, 3, [](u32& b) { b = 5000; }); }).count("bad_lists"),
            0u);
  EXPECT_GT(after([&](HashGrid& g) {
              edit(g.counts, 0, [](HashGridCounts& c) { c.point_count = 299; });
            }).count("bad_lists"),
            0u);
  EXPECT_GT(after([&](HashGrid& g) {
              edit(g.shape, 0, [](HashGridShape& s) { s.resolution.y = 1; });
            }).count("wrong_buckets"),
            0u);
  EXPECT_GT(after([&](HashGrid& g) {
              edit(g.shape, 0, [](HashGridShape& s) { s.bucket_count = 77; });
            }).count("bad_lists"),
            0u);
  const double infinite = infinity;
  EXPECT_GT(after([&](HashGrid& g) {
              edit(g.shape, 0, [&](HashGridShape& s) { s.cells_per_unit = infinite; });
            }).count("bad_lists"),
            0u);
  EXPECT_GT(after([&](HashGrid& g) {
              edit(g.shape, 0, [&](HashGridShape& s) { s.lo.z = infinite; });
            }).count("bad_lists"),
            0u);
  EXPECT_EQ(after([](HashGrid&) {}).message(), "valid");
  EXPECT_COPSE_ERROR(validate(context(), build(points), device.span().first(299)), ErrorCode::invalid_argument,
                     "299 points");
}

TEST_P(HashGrids, RefuseWhatDoesNotFit) {
  const Buffer<vec3> points(context(), random_points(10, 12));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float size : {-1.0f, nan, infinity}) {
    EXPECT_COPSE_ERROR(build_hash_grid(context(), points.span(), {.cell_size = size}), ErrorCode::invalid_argument,
                       "cell size");
  }
  for (const float each : {0.0f, -1.0f, nan, 2e6f}) {
    EXPECT_COPSE_ERROR(build_hash_grid(context(), points.span(), {.points_per_cell = each}),
                       ErrorCode::invalid_argument, "points_per_cell");
  }
  const PositionSpan odd(points.data(), 2, 14), many(points.data(), max_grid_points + 1, 12);
  EXPECT_COPSE_ERROR(build_hash_grid(context(), odd), ErrorCode::invalid_argument, "14 bytes apart");
  EXPECT_COPSE_ERROR(build_hash_grid(context(), many), ErrorCode::capacity, "2147483649 points");
  HashGrid grid = make_hash_grid(context(), 9);
  EXPECT_COPSE_ERROR(rebuild_hash_grid(context(), grid, points.span()), ErrorCode::invalid_argument,
                     "10 points; the grid has room for 9");
  const HashGrid none;
  for (const HashGrid* never : {&none, &std::as_const(grid)}) {
    EXPECT_COPSE_ERROR(stats(context(), *never), ErrorCode::invalid_argument, "never built");
    EXPECT_COPSE_ERROR(validate(context(), *never, points.span().first(0)), ErrorCode::invalid_argument,
                       "never built");
  }
}

COPSE_ON_EACH_BACKEND(HashGrids);

TEST(HashGridShapes, BlocksWhoseBucketsAreApartHaveNoneTwice) {
  std::mt19937 random(1);
  const auto below = [&](u32 n) { return std::uniform_int_distribution<u32>(0, n - 1)(random); };
  u32 apart_count = 0;
  for (u32 i = 0; i < 4000; ++i) {
    const HashGridShape shape{dvec3(0), 1, uvec3(max_hash_resolution), 1u << (i % 25)};
    const uvec3 size(1 + below(12), 1 + below(11), 1 + below(11));
    if (!shape.has_buckets_apart(size.x, size.y, size.z)) continue;
    ++apart_count;
    const uvec3 first(below(1u << 29), below(1u << 29), below(1u << 29));
    std::vector<u32> buckets;
    for (u32 k = 0; k < size.x * size.y * size.z; ++k) {
      buckets.push_back(shape.bucket_of(first + uvec3(k % size.x, k / size.x % size.y, k / size.x / size.y)));
    }
    std::sort(buckets.begin(), buckets.end());
    ASSERT_EQ(std::adjacent_find(buckets.begin(), buckets.end()), buckets.end())
        << size.x << " x " << size.y << " x " << size.z << " of " << shape.bucket_count;
    ASSERT_LT(buckets.back(), shape.bucket_count);
  }
  EXPECT_GT(apart_count, 500u);
  const HashGridShape large{dvec3(0), 1, uvec3(100), 1u << 20};
  EXPECT_TRUE(large.has_buckets_apart(5, 9, 9));
  EXPECT_FALSE(large.has_buckets_apart(5, 10, 1));
}

TEST(HashGridsOnBoth, HaveTheSameBytesOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  std::vector<NamedPoints> sets = hard_points();
  sets.push_back({"many", random_points(300000, 13)});
  for (const NamedPoints& set : sets) {
    for (const float cell_size : {0.0f, 0.1f}) {
      SCOPED_TRACE(set.name);
      std::vector<HashGridCopy> copies;
      for (const Backend backend : {Backend::cpu, Backend::cuda}) {
        Context context({.backend = backend});
        const Buffer<vec3> points(context, set.points);
        copies.emplace_back(build_hash_grid(context, points.span(), {.cell_size = cell_size}));
      }
      EXPECT_TRUE(same_bytes(copies[0], copies[1]));
    }
  }
}

}  // namespace
}  // namespace copse
