// Queries to Accel give the answers of the binary tree over the triangles of the views.

#include "accel/accel_queries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "builders/bvh/hploc.h"
#include "builders/geometry/generate.h"
#include "queries/overlap_queries.h"
#include "queries/point_queries.h"
#include "queries/self_overlaps.h"
#include "tests/accel/accels.h"
#include "tests/queries/query_oracle.h"

namespace copse {
namespace {

using test::DeviceMesh;

/// Two geometries, whose ids count through both.
std::vector<Mesh> two_meshes() {
  Mesh ball = generate_sphere(3);
  for (vec3& p : ball.positions) p = p * 0.6f + vec3(0.3f);
  return {generate_sphere(3), ball};
}

/// The lists of a batch, each sorted: their order depends on the tree.
std::vector<std::vector<u32>> sorted_lists(const OverlapLists& lists) {
  const std::vector<u64> offsets = lists.offsets.download();
  const std::vector<u32> ids = lists.primitives.download();
  std::vector<std::vector<u32>> sorted;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    sorted.emplace_back(ids.begin() + i64(offsets[i]), ids.begin() + i64(offsets[i + 1]));
    std::sort(sorted.back().begin(), sorted.back().end());
  }
  return sorted;
}

std::vector<std::pair<u32, u32>> sorted_pairs(const Buffer<PrimitivePair>& pairs) {
  std::vector<std::pair<u32, u32>> sorted;
  for (const PrimitivePair& pair : pairs.download()) sorted.emplace_back(pair.first, pair.second);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

class AccelQueries : public test::OnEachBackend {
 protected:
  template <class Region>
  void expect_overlaps(const Accel& accel, const Bvh& bvh, const TriangleViews& triangles,
                       const std::vector<Region>& regions) {
    const Buffer<Region> queries(context(), regions);
    Buffer<u32> counts(context(), regions.size()), expected(context(), regions.size());
    count_overlaps<Region>(context(), accel, queries.span(), counts.span());
    count_overlaps<Region>(context(), bvh.view(), triangles, queries.span(), expected.span());
    EXPECT_EQ(counts.download(), expected.download());
    const OverlapLists lists = all_overlaps<Region>(context(), accel, queries.span());
    EXPECT_EQ(sorted_lists(lists),
              sorted_lists(all_overlaps<Region>(context(), bvh.view(), triangles, queries.span())));
    const std::vector<u32> all = lists.primitives.download();
    Buffer<u64> offsets(context(), regions.size() + 1);
    Buffer<u32> half(context(), all.size() / 2);
    find_overlaps<Region>(context(), accel, queries.span(), offsets.span(), half.span());
    EXPECT_EQ(offsets.download(), lists.offsets.download());
    EXPECT_EQ(half.download(), std::vector<u32>(all.begin(), all.begin() + i64(all.size() / 2)));
  }

  void expect_points(const Accel& accel, const Bvh& bvh, const TriangleViews& triangles,
                     const std::vector<vec3>& points) {
    constexpr u32 k = 4;
    const Buffer<vec3> queries(context(), points);
    Buffer<NearestPoint> nearest(context(), points.size()), expected_nearest(context(), points.size());
    Buffer<Neighbour> neighbours(context(), k * points.size()), expected_neighbours(context(), k * points.size());
    Buffer<u8> inside(context(), points.size()), expected_inside(context(), points.size());
    nearest_points(context(), accel, queries.span(), nearest.span(), 0.6f);
    nearest_points(context(), bvh.view(), triangles, queries.span(), expected_nearest.span(), 0.6f);
    EXPECT_TRUE(test::same_bytes(nearest.download(), expected_nearest.download()));
    nearest_primitives(context(), accel, queries.span(), neighbours.span());
    nearest_primitives(context(), bvh.view(), triangles, queries.span(), expected_neighbours.span());
    EXPECT_TRUE(test::same_bytes(neighbours.download(), expected_neighbours.download()));
    points_inside(context(), accel, queries.span(), inside.span());
    points_inside(context(), bvh.view(), triangles, queries.span(), expected_inside.span());
    EXPECT_EQ(inside.download(), expected_inside.download());
  }
};

TEST_P(AccelQueries, FindWhatTheBinaryTreeFinds) {
  const std::vector<Mesh> meshes = two_meshes();
  const test::SceneOfViews scene(context(), meshes);
  const Bvh bvh = build(context(), scene.device(), HplocOptions{});
  const std::vector<vec3> points = test::difficult_points(meshes[0], 300, 1);
  std::vector<Sphere> spheres;
  std::vector<Aabb> boxes;
  std::vector<Frustum> frusta;
  for (size_t i = 0; i < 100; ++i) {
    spheres.push_back({points[i], 0.2f});
    boxes.push_back({points[i] - 0.1f, points[i] + 0.1f});
    frusta.push_back(frustum_of(look_at(points[i], vec3(0.01f, 0.02f, 0), {0, 1, 0}, 20, 1), 0.1f, 3));
  }
  for (const Quality quality : test::all_qualities) {
    Accel accel = build(context(), scene.device(), {.quality = quality});
    if (quality == Quality::best) compact(context(), accel);
    expect_points(accel, bvh, scene.device(), points);
    expect_overlaps(accel, bvh, scene.device(), spheres);
    expect_overlaps(accel, bvh, scene.device(), boxes);
    expect_overlaps(accel, bvh, scene.device(), frusta);
  }
}

/// From 2^14 on, points are processed in another order than theirs.
TEST_P(AccelQueries, ManyPointsGetTheirOwnAnswers) {
  const Mesh mesh = generate_sphere(2);
  const DeviceMesh device(context(), mesh);
  expect_points(build(context(), device.view()), build(context(), device.view(), HplocOptions{}), device.view(),
                test::difficult_points(mesh, 17000, 2));
}

TEST_P(AccelQueries, FindThePairsOfTheBinaryTree) {
  for (const Mesh& mesh : {generate_random(500, 0.2f), generate_sphere(2), generate_cube(), Mesh{}}) {
    const DeviceMesh device(context(), mesh);
    const Bvh bvh = build(context(), device.view(), HplocOptions{});
    for (const bool exact : {true, false}) {
      for (const bool adjacent : {true, false}) {
        const SelfOverlapOptions options{.exact_triangles = exact, .with_adjacent = adjacent};
        const auto expected = sorted_pairs(self_overlaps(context(), bvh.view(), device.view(), options));
        // Room for more triangles than there are must not matter.
        const Accel accel = build(context(), device.view(), {.capacity = 700});
        const Buffer<PrimitivePair> pairs = self_overlaps(context(), accel, options);
        EXPECT_EQ(sorted_pairs(pairs), expected);
        Buffer<PrimitivePair> some(context(), expected.size() / 2 + 1);
        Buffer<u64> total(context(), 1);
        find_self_overlaps(context(), accel, options, some.span(), total.span());
        EXPECT_EQ(total.download()[0], expected.size());
        const u64 count = std::min<u64>(some.size(), expected.size());
        EXPECT_TRUE(test::same_bytes(some.download(count), pairs.download(count)));
      }
    }
  }
}

struct CollectIds {
  std::vector<u32> ids;
  bool operator()(u32 id) {
    ids.push_back(id);
    return false;
  }
};

/// One by one, on the host: for the CPU's memory alone.
TEST(AccelQueryView, OneByOneGivesTheAnswersOfBatches) {
  Context context({.backend = Backend::cpu});
  const std::vector<Mesh> meshes = two_meshes();
  const test::SceneOfViews scene(context, meshes);
  const Accel accel = build(context, scene.device());
  const std::vector<Triangle> triangles = test::all_triangles(scene.host());
  for (const vec3& point : test::difficult_points(meshes[0], 100, 3)) {
    const auto order = test::brute_force_order(triangles, point, 0.6f);
    const NearestPoint nearest = nearest_point(accel.view(), point, 0.6f);
    ASSERT_EQ(is_found(nearest), !order.empty());
    Neighbour two[2];
    const u32 found = k_nearest(accel.view(), point, 0.6f, 2, two);
    ASSERT_EQ(found, std::min<size_t>(2, order.size()));
    for (u32 i = 0; i < found; ++i) {
      const u32 first = two[i].geometry == 10 ? 0 : u32(meshes[0].triangles.size());
      EXPECT_EQ(two[i].primitive + first, order[i].second);
    }
    const Sphere sphere{point, 0.3f};
    const std::vector<u32> expected = test::brute_force_overlaps(triangles, sphere);
    CollectIds collect;
    for_each_overlap(accel.view(), sphere, collect);
    std::sort(collect.ids.begin(), collect.ids.end());
    EXPECT_EQ(collect.ids, expected);
    EXPECT_EQ(count_overlaps(accel.view(), sphere), expected.size());
    EXPECT_EQ(any_overlap(accel.view(), sphere), !expected.empty());
  }
  EXPECT_TRUE(is_inside(accel.view(), vec3(-0.5f)));
  EXPECT_FALSE(is_inside(accel.view(), vec3(0.3f)));  // in both spheres
  EXPECT_FALSE(is_inside(accel.view(), vec3(2)));
}

TEST_P(AccelQueries, RefuseWhatDoesNotFit) {
  const DeviceMesh device(context(), generate_cube());
  const Accel accel = build(context(), device.view()), none;
  const Buffer<vec3> points(context(), 3);
  Buffer<NearestPoint> nearest(context(), 3);
  const Buffer<Sphere> spheres(context(), 3);
  Buffer<u64> offsets(context(), 3);
  Buffer<u32> ids(context(), 3);
  EXPECT_COPSE_ERROR(nearest_points(context(), none, points.span(), nearest.span()), ErrorCode::invalid_argument,
                     "nearest_points: the structure was never built");
  EXPECT_COPSE_ERROR(nearest_points(context(), accel, points.span(), nearest.span().first(2)),
                     ErrorCode::invalid_argument, "2 results, but the number of points is 3");
  EXPECT_COPSE_ERROR(find_overlaps<Sphere>(context(), accel, spheres.span(), offsets.span(), ids.span()),
                     ErrorCode::invalid_argument, "3 offsets for 3 regions, one more is needed");
  EXPECT_COPSE_ERROR(self_overlaps(context(), none), ErrorCode::invalid_argument, "never built");
  EXPECT_COPSE_ERROR(find_self_overlaps(context(), accel, {}, {}, {}), ErrorCode::invalid_argument,
                     "total has 0 elements, 1 is needed");
}

COPSE_ON_EACH_BACKEND(AccelQueries);

}  // namespace
}  // namespace copse
