// Leaves are in the order of 63-bit Morton keys, for any number of primitives that share the high half of their
// keys.

#include <algorithm>
#include <numeric>
#include <random>

#include "builders/bvh/lbvh.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/morton.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse::test {

namespace {

/// Points as boxes without extent.
class PointCloud {
 public:
  /// Adds the corners of a box, so that it is the box of all points.
  explicit PointCloud(const vec3& extents = vec3(1)) {
    add(vec3(0));
    add(extents);
  }

  void add(const vec3& p) {
    boxes_.push_back({p, p});
    bounds_ = merge(bounds_, boxes_.back());
  }

  /// Adds `count` points in the corner of cell `cell` of 512 x 512 x 512, where all keys have the same high word.
  /// They are spread over 2^distinct_bits places per axis.
  void add_run(u32 count, const uvec3& cell, u32 distinct_bits = 10) {
    std::uniform_int_distribution<u32> step(0, (1u << distinct_bits) - 1);
    const auto coordinate = [&](u32 c) { return (float(c) + float(step(random_)) / 4096.0f) / 512.0f; };
    for (u32 i = 0; i < count; ++i) add({coordinate(cell.x), coordinate(cell.y), coordinate(cell.z)});
  }

  void add_invalid() { boxes_.push_back({vec3(std::numeric_limits<float>::quiet_NaN()), vec3(0)}); }

  void shuffle() { std::shuffle(boxes_.begin(), boxes_.end(), random_); }

  const std::vector<Aabb>& boxes() const { return boxes_; }

  /// Returns the numbers of the valid points in the order of their keys.
  std::vector<u32> slow_order() const {
    std::vector<std::pair<u64, u32>> keys;
    for (u32 i = 0; i < boxes_.size(); ++i) {
      if (is_valid(boxes_[i])) keys.emplace_back(morton_key(centroid(boxes_[i]), bounds_), i);
    }
    std::ranges::sort(keys);
    std::vector<u32> ids;
    for (const auto& [key, id] : keys) ids.push_back(id);
    return ids;
  }

 private:
  std::vector<Aabb> boxes_;
  Aabb bounds_ = Aabb::empty();
  std::mt19937 random_{7};
};

}  // namespace

class MortonOrder : public OnEachBackend {
 protected:
  void expect_order(const PointCloud& cloud, const std::string& name) {
    const Buffer<Aabb> boxes(context(), cloud.boxes());
    const BoxView view{boxes.span()};
    const Bvh bvh = build(context(), view, LbvhOptions{});
    EXPECT_TRUE(validate(context(), bvh, view).is_valid()) << name;
    const BvhCopy copy(bvh);
    const std::vector<u32> expected = cloud.slow_order();
    ASSERT_GE(copy.primitive_ids.size(), expected.size()) << name;
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), copy.primitive_ids.begin())) << name;

    // The tree follows from the deltas; tests on the CPU prove those.
    Context cpu({.backend = Backend::cpu});
    const Buffer<Aabb> cpu_boxes(cpu, cloud.boxes());
    EXPECT_TRUE(same_bytes(copy, BvhCopy(build(cpu, BoxView{cpu_boxes.span()}, LbvhOptions{})))) << name;
  }
};
COPSE_ON_EACH_BACKEND(MortonOrder);

TEST_P(MortonOrder, SortsRunsOfEverySizeThatIsTreatedDifferently) {
  for (const u32 distinct_bits : {10u, 2u, 0u}) {
    PointCloud cloud;
    u32 cell = 0;
    for (const u32 size : {1,   2,   3,   5,   16,  31,  32,  33,  34,   63,   64,   65,  127,
                           128, 129, 255, 256, 257, 511, 512, 513, 1024, 4000, 8703, 8704}) {
      cloud.add_run(size, uvec3(17 * cell % 500, 31 * cell % 500, 3 * cell + 1), distinct_bits);
      ++cell;
    }
    cloud.add_invalid();
    cloud.shuffle();
    expect_order(cloud, std::to_string(distinct_bits) + " distinct bits");
  }
}

TEST_P(MortonOrder, SortsPointsOfBoxesOfAnyShape) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> part(0, 1);
  for (const vec3& extents : {vec3(5, 1, 4), vec3(1, 1, 20), vec3(1, 300, 0.1f), vec3(1, 0, 2), vec3(0, 0, 9),
                              vec3(1, 1e-30f, 1e30f), vec3(0)}) {
    PointCloud cloud(extents);
    for (u32 i = 0; i < 5000; ++i) {
      cloud.add(extents * vec3(part(random), part(random), part(random)));
      if (i % 10 == 0) cloud.add(extents * 0.25f);
    }
    cloud.shuffle();
    expect_order(cloud, std::to_string(extents.x) + " " + std::to_string(extents.y));
  }
}

TEST_P(MortonOrder, SortsAllAgainWhereARunIsTooLong) {
  PointCloud cloud;
  cloud.add_run(8705, uvec3(100, 200, 300));
  cloud.add_run(3000, uvec3(101, 200, 300));
  for (u32 i = 0; i < 5000; ++i) cloud.add_run(1 + i % 3, uvec3(i % 500, i * 7 % 500, i * 13 % 500));
  for (u32 i = 0; i < 100; ++i) cloud.add_invalid();
  cloud.shuffle();
  expect_order(cloud, "one run past the limit");

  PointCloud dense;
  dense.add_run(20000, uvec3(5, 6, 7));
  dense.shuffle();
  expect_order(dense, "one far outlier");

  PointCloud equal;
  equal.add_run(10000, uvec3(5, 6, 7), 0);
  expect_order(equal, "equal points");
}

/// Boxes far from most others come last, and those of a scene without such boxes stand as they do without the option.
TEST_P(MortonOrder, SplitsOffOutliers) {
  const auto build_both = [&](const std::vector<Aabb>& boxes, bool splits_off) {
    const LbvhOptions options{.splits_off_outliers = splits_off};
    Context cpu({.backend = Backend::cpu});
    const Buffer<Aabb> own(context(), boxes), others(cpu, boxes);
    const BoxView view{own.span()};
    const Bvh bvh = build(context(), view, options);
    EXPECT_TRUE(validate(context(), bvh, view).is_valid());
    BvhCopy copy(bvh);
    EXPECT_TRUE(same_bytes(copy, BvhCopy(build(cpu, BoxView{others.span()}, options))));
    return copy;
  };
  for (const u32 count : {7u, 8u, 100u, 300u, 5000u}) {
    std::mt19937 random(count);
    std::uniform_real_distribution<float> part(0, 1);
    std::vector<Aabb> boxes;
    for (u32 i = 0; i < count; ++i) {
      const vec3 p(part(random), part(random), part(random));
      boxes.push_back({p, p + vec3(0.01f)});
    }
    boxes[count / 2] = Aabb::empty();
    EXPECT_TRUE(same_bytes(build_both(boxes, true), build_both(boxes, false))) << count;
    for (const float distance : {100.0f, 1e11f, -3e38f}) {
      std::vector<Aabb> with = boxes;
      with[1] = {vec3(distance, 0, 0), vec3(distance, 0, 0)};
      const BvhCopy tree = build_both(with, true);
      ASSERT_EQ(tree.counts.primitive_count, count - 1);
      // Of 6 valid boxes each one counts. From 8 on, the far one is split off.
      if (count > 8) {
        EXPECT_EQ(tree.primitive_ids[count - 2], 1u) << count << ", at " << distance;
      }
    }
  }
}

TEST_P(MortonOrder, SortsRunsAcrossTilesAndAtTheEnds) {
  // Runs of each size, one after the other, over many tiles of 1024 slots.
  for (const u32 size : {2, 7, 30, 32, 33, 100}) {
    PointCloud cloud;
    for (u32 i = 0; i < 4000 / size; ++i) cloud.add_run(size, uvec3(i % 8, i / 8 % 8, i / 64));
    cloud.shuffle();
    expect_order(cloud, "runs of " + std::to_string(size));
  }
}

TEST_P(MortonOrder, IsTheSameWhenBuiltAgain) {
  // Every build leaves its counters at zero for the next one.
  PointCloud dense, sparse;
  dense.add_run(9000, uvec3(5, 6, 7));
  for (u32 i = 0; i < 3000; ++i) sparse.add_run(1 + i % 40, uvec3(i % 500, i * 7 % 500, i * 13 % 500));
  for (u32 round = 0; round < 5; ++round) {
    expect_order(dense, "dense");
    expect_order(sparse, "sparse");
  }
}

TEST_P(MortonOrder, LargeCloudInOneCellIsSorted) {
  PointCloud cloud;
  cloud.add_run(1000000, uvec3(300, 200, 100));
  expect_order(cloud, "a million points in one cell");
}

}  // namespace copse::test
