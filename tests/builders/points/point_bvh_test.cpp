#include "builders/points/point_bvh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "builders/points/point_bvh_validate.h"
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

/// The content of a hierarchy, on the host, without nodes that are not there.
struct PointBvhCopy {
  PointBvhCounts counts;
  std::vector<NumberedPoint> points;
  std::vector<std::vector<PointNode>> depths;

  explicit PointBvhCopy(const PointBvh& bvh)
      : counts(bvh.counts.download()[0]), points(bvh.points.download(counts.point_count)) {
    if (points.empty()) return;
    const PointBvhShape shape(counts.point_count);
    const std::vector<PointNode> nodes = bvh.nodes.download();
    for (u32 depth = 0; depth <= shape.depth(); ++depth) {
      const auto first = nodes.begin() + PointBvhShape::first_at(depth);
      depths.emplace_back(first, first + shape.count_at(depth));
    }
  }
};

bool same_bytes(const PointBvhCopy& a, const PointBvhCopy& b) {
  if (std::memcmp(&a.counts, &b.counts, sizeof a.counts) != 0 || !test::same_bytes(a.points, b.points))
    return false;
  if (a.depths.size() != b.depths.size()) return false;
  for (size_t i = 0; i < a.depths.size(); ++i) {
    if (!test::same_bytes(a.depths[i], b.depths[i])) return false;
  }
  return true;
}

class PointBvhs : public test::OnEachBackend {
 protected:
  PointBvh build(const std::vector<vec3>& points) {
    return build_point_bvh(context(), Buffer<vec3>(context(), points).span());
  }

  /// The oracle: sorts points by (key, id) and bounds each node by all points below it.
  void expect_as_oracle(const PointBvh& bvh, const std::vector<vec3>& points) {
    const PointBvhCopy copy(bvh);
    Aabb bounds = Aabb::empty();
    for (const vec3& p : points) {
      if (is_finite(p)) bounds = merge(bounds, {clean_point(p), clean_point(p)});
    }
    std::vector<std::pair<u64, u32>> order;
    for (u32 i = 0; i < points.size(); ++i) {
      if (is_finite(points[i])) order.emplace_back(hilbert_key(clean_point(points[i]), bounds), i);
    }
    std::sort(order.begin(), order.end());
    ASSERT_EQ(copy.counts.point_count, order.size());
    ASSERT_EQ(copy.counts.invalid_count, points.size() - order.size());
    std::vector<NumberedPoint> expected;
    for (const auto& [key, id] : order) expected.push_back({clean_point(points[id]), id});
    ASSERT_TRUE(test::same_bytes(copy.points, expected));
    if (order.empty()) return;
    EXPECT_TRUE(copy.counts.bounds == bounds);
    ASSERT_EQ(copy.depths.front().size(), 1u);
    u64 size = point_leaf_size;
    for (size_t height = 0; height < copy.depths.size(); ++height, size *= 8) {
      const std::vector<PointNode>& nodes = copy.depths[copy.depths.size() - 1 - height];
      ASSERT_EQ(nodes.size(), (order.size() + size - 1) / size);
      for (u64 i = 0; i < nodes.size(); ++i) {
        Aabb box = Aabb::empty();
        for (u64 k = i * size; k < std::min((i + 1) * size, u64(order.size())); ++k) {
          box = merge(box, {expected[k].position, expected[k].position});
        }
        ASSERT_TRUE(box == (Aabb{nodes[i].lo, nodes[i].hi})) << height << ", " << i;
        ASSERT_EQ(nodes[i].first_key(), order[i * size].first);
      }
    }
  }
};

TEST_P(PointBvhs, OfHardPointsAreThoseOfTheOracle) {
  for (const NamedPoints& hard : hard_points()) {
    SCOPED_TRACE(hard.name);
    expect_as_oracle(build(hard.points), hard.points);
  }
}

TEST_P(PointBvhs, OfAnySizeAreThoseOfTheOracle) {
  std::vector<u64> sizes = test::boundary_sizes();
  for (u64 size : {7, 8, 9, 63, 64, 65, 511, 512, 513, 32767, 32768, 32769}) sizes.push_back(size);
  for (const u64 size : sizes) {
    SCOPED_TRACE(size);
    const std::vector<vec3> points = random_points(size, u32(size));
    expect_as_oracle(build(points), points);
  }
}

TEST_P(PointBvhs, OfFewValidPointsAmongManyAreThoseOfTheOracle) {
  for (const u64 valid_count : {0u, 1u, 8u, 9u, 64u, 65u, 5000u}) {
    SCOPED_TRACE(valid_count);
    std::vector<vec3> points = random_points(40000, 3);
    for (u64 i = 0; i < points.size() - valid_count; ++i) points[i * 7 % points.size()].y = infinity;
    expect_as_oracle(build(points), points);
  }
}

TEST_P(PointBvhs, AreRebuiltByACapturedGraph) {
  const std::vector<vec3> before = random_points(30000, 6), after = random_points(30000, 7, -100, 5);
  Buffer<vec3> points(context(), before);
  PointBvh bvh = build_point_bvh(context(), points.span());
  Graph graph = context().capture([&] { rebuild_point_bvh(context(), bvh, points.span()); });
  points.upload(after);
  graph.launch();
  expect_as_oracle(bvh, after);
}

TEST_P(PointBvhs, AreRebuiltOverFewerPoints) {
  PointBvh bvh = build(random_points(30000, 8));
  for (const u64 size : {30000u, 4096u, 999u, 8u, 1u, 0u}) {
    SCOPED_TRACE(size);
    const std::vector<vec3> points = random_points(size, 9);
    rebuild_point_bvh(context(), bvh, Buffer<vec3>(context(), points).span());
    expect_as_oracle(bvh, points);
  }
}

TEST_P(PointBvhs, TakeTheMemoryThatTheirSizesSay) {
  for (const u64 size : {0u, 1u, 5000u, 30000u}) {
    Context fresh({.backend = GetParam()});
    const BuildSizes sizes = point_bvh_sizes(fresh, size);
    const Buffer<vec3> points(fresh, random_points(size, 11));
    const PointBvh bvh = build_point_bvh(fresh, points.span());
    EXPECT_EQ(bvh.size_bytes(), sizes.result_bytes);
    const u64 before = fresh.scratch_bytes();
    PointBvh again = make_point_bvh(fresh, size);
    rebuild_point_bvh(fresh, again, points.span());
    EXPECT_EQ(fresh.scratch_bytes(), before);
  }
}

TEST_P(PointBvhs, OfHardPointsAreValid) {
  std::vector<NamedPoints> sets = hard_points();
  sets.push_back({"many", random_points(100000, 12)});
  for (const NamedPoints& hard : sets) {
    SCOPED_TRACE(hard.name);
    const Buffer<vec3> device(context(), hard.points);
    EXPECT_EQ(validate(context(), build_point_bvh(context(), device.span()), device.span()).message(), "valid");
  }
}

TEST_P(PointBvhs, ValidationFindsWhatIsWrong) {
  const std::vector<vec3> points = random_points(300, 11);
  const Buffer<vec3> device(context(), points);
  const auto after = [&](const auto& change) {
    PointBvh bvh = build(points);
    auto nodes = bvh.nodes.download();
    auto copies = bvh.points.download();
    auto counts = bvh.counts.download();
    change(nodes, copies, counts[0]);
    bvh.nodes.upload(nodes);
    bvh.points.upload(copies);
    bvh.counts.upload(counts);
    return validate(context(), bvh, device.span());
  };
  using Nodes = std::vector<PointNode>&;
  using Points = std::vector<NumberedPoint>&;
  using Counts = PointBvhCounts&;
  const u32 leaf = PointBvhShape(300).first_leaf();
  EXPECT_EQ(after([](Nodes, Points, Counts) {}).message(), "valid");
  EXPECT_GT(after([](Nodes, Points p, Counts) { p[7].id = 300; }).count("bad_points"), 0u);
  EXPECT_GT(after([](Nodes, Points p, Counts) { p[7].position.y += 1e-3f; }).count("bad_points"), 0u);
  EXPECT_GT(after([](Nodes, Points p, Counts) { p[7] = p[8]; }).count("repeated_points"), 0u);
  EXPECT_GT(after([](Nodes, Points p, Counts) { std::swap(p[7], p[200]); }).count("wrong_order"), 0u);
  EXPECT_GT(after([](Nodes n, Points, Counts) { n[0].hi.x = 0; }).count("wrong_nodes"), 0u);
  EXPECT_GT(after([](Nodes n, Points, Counts) { n[3].key_low ^= 1; }).count("wrong_nodes"), 0u);
  EXPECT_GT(after([&](Nodes n, Points, Counts) { n[leaf + 5].lo.z -= 1; }).count("wrong_nodes"), 0u);
  EXPECT_GT(after([](Nodes, Points, Counts c) { c.point_count = 299; }).count("bad_counts"), 0u);
  EXPECT_GT(after([](Nodes, Points, Counts c) { c.bounds.hi.x = 2; }).count("bad_counts"), 0u);
  EXPECT_COPSE_ERROR(validate(context(), build(points), device.span().first(299)), ErrorCode::invalid_argument,
                     "299 points, but the point BVH was built over 300");
  EXPECT_COPSE_ERROR(validate(context(), PointBvh{}, device.span()), ErrorCode::invalid_argument, "never built");
}

TEST_P(PointBvhs, RefuseWhatDoesNotFit) {
  const Buffer<vec3> points(context(), random_points(10, 12));
  const PositionSpan odd(points.data(), 2, 14), many(points.data(), max_bvh_points + 1, 12);
  EXPECT_COPSE_ERROR(build_point_bvh(context(), odd), ErrorCode::invalid_argument, "14 bytes apart");
  EXPECT_COPSE_ERROR(build_point_bvh(context(), many), ErrorCode::capacity,
                     "1073741825 points; at most 1073741824");
  EXPECT_COPSE_ERROR(point_bvh_sizes(context(), max_bvh_points + 1), ErrorCode::capacity, "at most");
  PointBvh bvh = make_point_bvh(context(), 9);
  EXPECT_COPSE_ERROR(rebuild_point_bvh(context(), bvh, points.span()), ErrorCode::invalid_argument,
                     "10 points; the tree has room for 9");
}

COPSE_ON_EACH_BACKEND(PointBvhs);

TEST(PointBvhsOnBoth, LargeHaveTheSameBytesOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  std::vector<vec3> even = random_points(1300000, 13), uneven = even;
  for (vec3& p : uneven) p = p * p * p * vec3(1, 3, 0.01f);
  for (const std::vector<vec3>* set : {&even, &uneven}) {
    std::vector<PointBvhCopy> copies;
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
      Context context({.backend = backend});
      const Buffer<vec3> points(context, *set);
      copies.emplace_back(build_point_bvh(context, points.span()));
    }
    EXPECT_TRUE(same_bytes(copies[0], copies[1]));
  }
}

}  // namespace
}  // namespace copse
