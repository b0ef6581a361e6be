#include "builders/points/kd_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "builders/points/kd_validate.h"
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

/// The content of a tree, on the host.
struct KdTreeCopy {
  KdCounts counts;
  std::vector<KdPoint> nodes;

  explicit KdTreeCopy(const KdTree& tree)
      : counts(tree.counts.download()[0]), nodes(tree.nodes.download(counts.point_count)) {}
};

bool same_bytes(const KdTreeCopy& a, const KdTreeCopy& b) {
  return std::memcmp(&a.counts, &b.counts, sizeof a.counts) == 0 && test::same_bytes(a.nodes, b.nodes);
}

/// The oracle: sorts the points of each subtree along its axis, and counts the nodes of subtrees one by one.
class SlowKdTree {
 public:
  explicit SlowKdTree(const std::vector<vec3>& points) {
    for (u32 i = 0; i < points.size(); ++i) {
      if (is_finite(points[i])) points_.push_back({clean_point(points[i]), i});
    }
    nodes.resize(points_.size());
    divide(0, 0, 0, points_.size());
  }

  std::vector<KdPoint> nodes;

 private:
  u64 count_nodes(u64 node) const {
    return node < nodes.size() ? 1 + count_nodes(2 * node + 1) + count_nodes(2 * node + 2) : 0;
  }

  void divide(u64 node, int axis, u64 begin, u64 end) {
    if (begin == end) return;
    std::sort(points_.begin() + i64(begin), points_.begin() + i64(end),
              [axis](const KdPoint& a, const KdPoint& b) {
                return std::make_tuple(a.position[axis], a.position.x, a.id) <
                       std::make_tuple(b.position[axis], b.position.x, b.id);
              });
    const u64 root = begin + count_nodes(2 * node + 1);
    nodes[node] = points_[root];
    divide(2 * node + 1, (axis + 1) % 3, begin, root);
    divide(2 * node + 2, (axis + 1) % 3, root + 1, end);
  }

  std::vector<KdPoint> points_;
};

class KdTrees : public test::OnEachBackend {
 protected:
  KdTree build(const std::vector<vec3>& points) {
    return build_kd_tree(context(), Buffer<vec3>(context(), points).span());
  }
  void expect_as_oracle(const KdTree& tree, const std::vector<vec3>& points) {
    const KdTreeCopy copy(tree);
    const SlowKdTree expected(points);
    ASSERT_EQ(copy.counts.point_count, expected.nodes.size());
    ASSERT_EQ(copy.counts.invalid_count, points.size() - expected.nodes.size());
    EXPECT_TRUE(test::same_bytes(copy.nodes, expected.nodes));
  }
};

TEST_P(KdTrees, OfHardPointsAreThoseOfTheOracle) {
  for (const NamedPoints& hard : hard_points()) {
    SCOPED_TRACE(hard.name);
    expect_as_oracle(build(hard.points), hard.points);
  }
}

TEST_P(KdTrees, OfAnySizeAreThoseOfTheOracle) {
  std::vector<u64> sizes = test::boundary_sizes();
  for (u64 power = 2; power <= 16384; power *= 2) sizes.insert(sizes.end(), {power - 1, power, power + 1});
  for (const u64 size : sizes) {
    SCOPED_TRACE(size);
    const std::vector<vec3> points = random_points(size, u32(size));
    expect_as_oracle(build(points), points);
  }
}

/// A block finishes up to 10240 points, so from here on lists are split level by level. Points on a coarse lattice
/// have many equal coordinates.
TEST_P(KdTrees, OfManyEqualCoordinatesAreThoseOfTheOracle) {
  for (const u64 size : {10239u, 10240u, 10241u, 20480u, 20481u, 20482u, 40961u, 81919u, 131071u, 131072u}) {
    for (const float steps : {3.0f, 100.0f}) {
      SCOPED_TRACE(size);
      std::vector<vec3> points = random_points(size, u32(size), -1, 1);
      for (vec3& p : points) p = vec3(std::round(p.x * steps), std::round(p.y * steps), std::round(p.z * steps));
      expect_as_oracle(build(points), points);
    }
  }
}

/// Of many points few are valid: the tree has fewer levels than its memory has room for.
TEST_P(KdTrees, OfFewValidPointsAmongManyAreThoseOfTheOracle) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const u64 valid_count : {0u, 1u, 2u, 3u, 7u, 8u, 9u, 100u, 4097u, 50000u}) {
    SCOPED_TRACE(valid_count);
    std::vector<vec3> points = random_points(100000, 3);
    const u64 step = valid_count == 0 ? 200000 : points.size() / valid_count;
    u64 kept = 0;
    for (u64 i = 0; i < points.size(); ++i) {
      if (i % step == step - 1 && kept < valid_count) {
        ++kept;
      } else {
        points[i].y = i % 2 == 0 ? nan : -infinity;
      }
    }
    expect_as_oracle(build(points), points);
  }
}

TEST_P(KdTrees, AreRebuiltByACapturedGraph) {
  for (const u64 size : {3000u, 60000u}) {
    const std::vector<vec3> before = random_points(size, 6), after = random_points(size, 7, -100, 5);
    Buffer<vec3> points(context(), before);
    KdTree tree = build_kd_tree(context(), points.span());
    Graph graph = context().capture([&] { rebuild_kd_tree(context(), tree, points.span()); });
    points.upload(after);
    graph.launch();
    expect_as_oracle(tree, after);
    graph.launch();
    expect_as_oracle(tree, after);
  }
}

TEST_P(KdTrees, AreRebuiltOverFewerPoints) {
  KdTree tree = build(random_points(50000, 8));
  for (const u64 size : {50000u, 49999u, 20000u, 999u, 10u, 1u, 0u}) {
    SCOPED_TRACE(size);
    const std::vector<vec3> points = random_points(size, 9);
    rebuild_kd_tree(context(), tree, Buffer<vec3>(context(), points).span());
    expect_as_oracle(tree, points);
  }
}

TEST_P(KdTrees, TakePointsFromLargerRecords) {
  const std::vector<vec3> points = random_points(500, 10);
  std::vector<float> records;
  for (const vec3& p : points) records.insert(records.end(), {p.x, p.y, p.z, 9, 9});
  const Buffer<float> device(context(), records);
  const PositionSpan span(reinterpret_cast<const vec3*>(device.data()), points.size(), 5 * sizeof(float));
  EXPECT_TRUE(same_bytes(KdTreeCopy(build_kd_tree(context(), span)), KdTreeCopy(build(points))));
}

TEST_P(KdTrees, TakeTheMemoryThatTheirSizesSay) {
  for (const u64 size : {0u, 1u, 5000u, 30000u}) {
    Context fresh({.backend = GetParam()});
    const BuildSizes sizes = kd_tree_sizes(fresh, size);
    const Buffer<vec3> points(fresh, random_points(size, 11));
    const KdTree tree = build_kd_tree(fresh, points.span());
    EXPECT_EQ(tree.size_bytes(), sizes.result_bytes);
    EXPECT_LE(fresh.scratch_bytes(), larger(2 * sizes.scratch_bytes, u64{1} << 20));
    const u64 before = fresh.scratch_bytes();
    KdTree again = make_kd_tree(fresh, size);
    rebuild_kd_tree(fresh, again, points.span());
    EXPECT_EQ(fresh.scratch_bytes(), before);
  }
}

TEST_P(KdTrees, ValidationFindsWhatIsWrong) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<vec3> points = random_points(300, 11);
  points[17].x = nan;
  const Buffer<vec3> device(context(), points);
  const auto after = [&](const auto& change) {
    KdTree tree = build(points);
    auto nodes = tree.nodes.download();
    auto counts = tree.counts.download();
    change(nodes, counts[0]);
    tree.nodes.upload(nodes);
    tree.counts.upload(counts);
    return validate(context(), tree, device.span());
  };
  using Nodes = std::vector<KdPoint>&;
  EXPECT_EQ(after([](Nodes, KdCounts&) {}).message(), "valid");
  EXPECT_GT(after([](Nodes n, KdCounts&) { n[7].position.x += 1e-3f; }).count("bad_points"), 0u);
  EXPECT_GT(after([](Nodes n, KdCounts&) { n[7].id = 300; }).count("bad_points"), 0u);
  EXPECT_GT(after([](Nodes n, KdCounts&) { n[7] = n[8]; }).count("repeated_points"), 0u);
  EXPECT_GT(after([](Nodes n, KdCounts&) { std::swap(n[0], n[298]); }).count("wrong_sides"), 0u);
  EXPECT_GT(after([](Nodes n, KdCounts&) { std::swap(n[100], n[298]); }).count("wrong_sides"), 0u);
  EXPECT_GT(after([](Nodes, KdCounts& c) { c.point_count = 298; }).count("bad_counts"), 0u);
  EXPECT_GT(after([](Nodes, KdCounts& c) { c.point_count = 301; }).count("bad_counts"), 0u);
  EXPECT_GT(after([](Nodes, KdCounts& c) { c.invalid_count = 0; }).count("bad_counts"), 0u);
  EXPECT_COPSE_ERROR(validate(context(), build(points), device.span().first(299)), ErrorCode::invalid_argument,
                     "299 points");
}

TEST_P(KdTrees, OfHardPointsAreValid) {
  std::vector<NamedPoints> sets = hard_points();
  sets.push_back({"many", random_points(100000, 12)});
  for (const NamedPoints& hard : sets) {
    SCOPED_TRACE(hard.name);
    const Buffer<vec3> device(context(), hard.points);
    EXPECT_EQ(validate(context(), build_kd_tree(context(), device.span()), device.span()).message(), "valid");
  }
}

TEST_P(KdTrees, RefuseWhatDoesNotFit) {
  const Buffer<vec3> points(context(), random_points(10, 12));
  const PositionSpan odd(points.data(), 2, 14), many(points.data(), max_kd_points + 1, 12);
  EXPECT_COPSE_ERROR(build_kd_tree(context(), odd), ErrorCode::invalid_argument, "14 bytes apart");
  EXPECT_COPSE_ERROR(build_kd_tree(context(), many), ErrorCode::capacity, "1073741825 points; at most 1073741824");
  EXPECT_COPSE_ERROR(kd_tree_sizes(context(), max_kd_points + 1), ErrorCode::capacity, "at most");
  KdTree tree = make_kd_tree(context(), 9), none;
  EXPECT_COPSE_ERROR(rebuild_kd_tree(context(), tree, points.span()), ErrorCode::invalid_argument,
                     "10 points; the tree has room for 9");
  EXPECT_COPSE_ERROR(rebuild_kd_tree(context(), none, points.span()), ErrorCode::invalid_argument, "room for 0");
  for (const KdTree* never : {&std::as_const(none), &std::as_const(tree)}) {
    EXPECT_COPSE_ERROR(validate(context(), *never, points.span().first(0)), ErrorCode::invalid_argument,
                       "never built");
  }
}

COPSE_ON_EACH_BACKEND(KdTrees);

TEST(KdTreesOnBoth, LargeHaveTheSameBytesOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  std::vector<vec3> even = random_points(1300000, 13), uneven = even;
  for (vec3& p : uneven) p = p * p * p * vec3(1, 3, 0.01f);
  for (const std::vector<vec3>* set : {&even, &uneven}) {
    std::vector<KdTreeCopy> copies;
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
      Context context({.backend = backend});
      const Buffer<vec3> points(context, *set);
      copies.emplace_back(build_kd_tree(context, points.span()));
    }
    EXPECT_TRUE(same_bytes(copies[0], copies[1]));
  }
}

}  // namespace
}  // namespace copse
