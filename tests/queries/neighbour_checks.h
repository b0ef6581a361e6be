#pragma once

// Searches for points around points, in any structure, compared with brute force and between backends.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "queries/point_neighbours.h"
#include "tests/queries/points_oracle.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse::test {

/// What brute force finds around some queries. It sorts the points around each query once, and answers any search with
/// a limit up to `max_distance` from that.
class NeighbourOracle {
 public:
  NeighbourOracle(const std::vector<vec3>& points, std::vector<vec3> queries, float max_distance = infinity)
      : queries_(std::move(queries)) {
    for (const vec3& query : queries_) orders_.push_back(brute_force_order(points, query, max_distance));
  }

  const std::vector<vec3>& queries() const { return queries_; }
  /// Points by (square of the distance, id) around a query, no farther than the limit.
  std::span<const std::pair<float, u32>> around(size_t query, float limit) const {
    const auto& order = orders_[query];
    if (!(limit >= 0)) return {};
    const auto is_near = [&](const std::pair<float, u32>& point) { return point.first <= limit * limit; };
    return {order.begin(), std::partition_point(order.begin(), order.end(), is_near)};
  }

 private:
  std::vector<vec3> queries_;
  std::vector<std::vector<std::pair<float, u32>>> orders_;
};

class NeighbourTest : public OnEachBackend {
 protected:
  /// Compares counts and lists within a radius with brute force, also for lists without enough room.
  template <class Structure>
  void expect_within(const Structure& structure, const NeighbourOracle& oracle, float radius) {
    SCOPED_TRACE("radius " + std::to_string(radius));
    const size_t query_count = oracle.queries().size();
    const Buffer<vec3> device(context(), oracle.queries());
    Buffer<u32> counts(context(), query_count);
    count_neighbours(context(), structure.view(), device.span(), radius, counts.span());
    const NeighbourLists lists = all_neighbours(context(), structure.view(), device.span(), radius);
    const std::vector<u32> got_counts = counts.download(), neighbours = lists.neighbours.download();
    const std::vector<u64> offsets = lists.offsets.download();
    ASSERT_EQ(offsets.back(), neighbours.size());
    for (size_t i = 0; i < query_count; ++i) {
      std::vector<u32> expected;
      for (const auto& [square, id] : oracle.around(i, radius)) expected.push_back(id);
      std::sort(expected.begin(), expected.end());
      std::vector<u32> got(neighbours.begin() + i64(offsets[i]), neighbours.begin() + i64(offsets[i + 1]));
      std::sort(got.begin(), got.end());
      ASSERT_EQ(got, expected) << i;
      ASSERT_EQ(got_counts[i], expected.size()) << i;
    }
    const u64 room = neighbours.size() / 2;
    Buffer<u64> again(context(), offsets.size());
    Buffer<u32> some(context(), std::vector<u32>(room + 1, 12345));
    find_neighbours(context(), structure.view(), device.span(), radius, again.span(), some.span().first(room));
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
  void expect_nearest(const Structure& structure, const NeighbourOracle& oracle, u32 k,
                      float max_distance = infinity) {
    SCOPED_TRACE("k " + std::to_string(k) + ", up to " + std::to_string(max_distance));
    const std::vector<PointNeighbour> got = find_nearest(structure, oracle.queries(), k, max_distance);
    for (size_t i = 0; i < oracle.queries().size(); ++i) {
      const auto order = oracle.around(i, max_distance);
      for (u32 j = 0; j < k; ++j) {
        ASSERT_EQ(got[i * k + j].point, j < order.size() ? order[j].second : invalid_id) << i << ", " << j;
        ASSERT_EQ(got[i * k + j].distance, j < order.size() ? std::sqrt(order[j].first) : infinity) << i;
      }
    }
  }
};

/// Builds a structure by build(context, points) on both backends, and compares the bytes of what is found in it.
template <class Build>
void expect_same_neighbours_on_both(const NamedPoints& set, const Build& build) {
  SCOPED_TRACE(set.name);
  const float radius = set.points.size() > 10000 ? 0.05f : typical_length(set.points);
  std::vector<u64> offsets[2];
  std::vector<u32> neighbours[2];
  std::vector<PointNeighbour> nearest[2];
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    Context context({.backend = backend});
    const Buffer<vec3> points(context, set.points);
    const auto structure = build(context, points.span());
    const NeighbourLists lists = all_neighbours(context, structure.view(), points.span(), radius);
    Buffer<PointNeighbour> few(context, 6 * set.points.size());
    nearest_neighbours(context, structure.view(), points.span(), few.span());
    const bool on_cuda = backend == Backend::cuda;
    offsets[on_cuda] = lists.offsets.download();
    neighbours[on_cuda] = lists.neighbours.download();
    nearest[on_cuda] = few.download();
  }
  EXPECT_EQ(offsets[0], offsets[1]);
  EXPECT_EQ(neighbours[0], neighbours[1]);
  EXPECT_TRUE(same_bytes(nearest[0], nearest[1]));
}

inline std::vector<NamedPoints> hard_and_many_points() {
  std::vector<NamedPoints> sets = hard_points();
  sets.push_back({"many", random_points(50000, 10)});
  return sets;
}

}  // namespace copse::test
