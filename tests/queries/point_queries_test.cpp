#include "queries/point_queries.h"

#include <gtest/gtest.h>
#include <glm/common.hpp>

#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/refit.h"
#include "builders/io/mesh_file.h"
#include "tests/queries/query_oracle.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/values.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::difficult_points;
using test::host_view;
using test::nan;
using test::UploadedBvh;

std::vector<NearestPoint> find_nearest(Context& context, const BvhView& bvh, const TriangleViews& triangles,
                                       const std::vector<vec3>& points, float max_distance) {
  const Buffer<vec3> queries(context, points);
  Buffer<NearestPoint> nearest(context, points.size());
  nearest_points(context, bvh, triangles, queries.span(), nearest.span(), max_distance);
  return nearest.download();
}

std::vector<Neighbour> ask_neighbours(Context& context, const BvhView& bvh, const TriangleViews& triangles,
                                      const std::vector<vec3>& points, u32 k, float max_distance) {
  const Buffer<vec3> queries(context, points);
  Buffer<Neighbour> neighbours(context, points.size() * k);
  nearest_primitives(context, bvh, triangles, queries.span(), neighbours.span(), max_distance);
  return neighbours.download();
}

constexpr u32 compared_neighbours = 5;

/// Points, and the nearest triangles of each by brute force over the host's triangles.
struct AnsweredPoints {
  const std::vector<Triangle>& host;
  std::vector<vec3> points;
  std::vector<std::vector<std::pair<float, u32>>> orders;

  AnsweredPoints(const std::vector<Triangle>& triangles, std::vector<vec3> asked)
      : host(triangles), points(std::move(asked)) {
    for (const vec3& point : points) {
      orders.push_back(test::brute_force_order(host, point, infinity, compared_neighbours));
    }
  }
};

/// Compares nearest points and k neighbours with those of brute force within a distance, to the last bit.
void expect_brute_force(Context& context, const BvhView& bvh, const TriangleView& device,
                        const AnsweredPoints& answered, float max_distance = infinity) {
  const auto& [host, points, orders] = answered;
  constexpr u32 k = compared_neighbours;
  const std::vector<NearestPoint> nearest = find_nearest(context, bvh, device, points, max_distance);
  const std::vector<Neighbour> neighbours = ask_neighbours(context, bvh, device, points, k, max_distance);
  for (size_t i = 0; i < points.size(); ++i) {
    auto order = orders[i];
    std::erase_if(order, [&](const auto& triangle) { return triangle.first > max_distance * max_distance; });
    if (order.empty()) {
      ASSERT_FALSE(is_found(nearest[i])) << i;
      ASSERT_EQ(nearest[i].distance, infinity);
    } else {
      const TrianglePoint expected = nearest_on_triangle(host[order[0].second], points[i]);
      ASSERT_EQ(nearest[i].primitive, order[0].second) << i;
      ASSERT_EQ(nearest[i].distance, std::sqrt(order[0].first)) << i;
      ASSERT_EQ(nearest[i].point, points[i] + expected.offset) << i;
      ASSERT_TRUE(nearest[i].u == expected.u && nearest[i].v == expected.v) << i;
    }
    for (u32 j = 0; j < k; ++j) {
      const Neighbour& got = neighbours[i * k + j];
      ASSERT_EQ(got.primitive, j < order.size() ? order[j].second : invalid_id) << i << ", " << j;
      ASSERT_EQ(got.distance, j < order.size() ? std::sqrt(order[j].first) : infinity) << i << ", " << j;
    }
  }
}

class PointQueries : public test::OnEachBackend {
 protected:
  void expect_brute_force_on(const Mesh& mesh, u32 point_count) {
    const DeviceMesh device(context(), mesh);
    const std::vector<Triangle> host = test::all_triangles({host_view(mesh)});
    const AnsweredPoints points(host, difficult_points(mesh, point_count, 1));
    const Bvh lbvh = build(context(), device.view(), LbvhOptions{.max_leaf_size = 4});
    expect_brute_force(context(), lbvh.view(), device.view(), points);
    const Bvh hploc = build(context(), device.view(), HplocOptions{});
    expect_brute_force(context(), hploc.view(), device.view(), points, 0.3f);
  }
};

TEST_P(PointQueries, FindWhatBruteForceFindsOnHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    SCOPED_TRACE(hard.name);
    Mesh finite = hard.mesh;
    if (hard.invalid_count > 0) finite = {};
    const DeviceMesh device(context(), hard.mesh);
    const std::vector<Triangle> host = test::all_triangles({host_view(hard.mesh)});
    const Bvh bvh = build(context(), device.view(), LbvhOptions{.max_leaf_size = 2});
    expect_brute_force(context(), bvh.view(), device.view(), {host, difficult_points(finite, 60, 2)});
  }
}
TEST_P(PointQueries, FindWhatBruteForceFindsOnTheTestballLarge) {
  expect_brute_force_on(load_mesh("assets/testball.ply"), 400);
}
TEST_P(PointQueries, FindWhatBruteForceFindsAmongRandomTriangles) {
  expect_brute_force_on(generate_random(700, 0.1f), 500);
}

/// A small stack soon drops every entry, so the traversal climbs by parent links.
TEST_P(PointQueries, ChainsDeeperThanTheStackAreWalkedWhole) {
  const Mesh mesh = generate_random(600, 0.05f);
  const DeviceMesh device(context(), mesh);
  const UploadedBvh chain(context(), test::build_host_bvh(host_view(mesh), 1, test::HostSplit::chain));
  const std::vector<Triangle> host = test::all_triangles({host_view(mesh)});
  expect_brute_force(context(), chain.view(), device.view(), {host, difficult_points(mesh, 300, 3)});
}
TEST(NearestPoint, AStackOfOneEntryFindsTheSame) {
  const Mesh mesh = generate_random(500, 0.1f);
  const test::HostBvh bvh = test::build_host_bvh(host_view(mesh), 2);
  for (const vec3& point : difficult_points(mesh, 500, 4)) {
    const NearestPoint one = nearest_point<1>(bvh.view(), host_view(mesh), point);
    const NearestPoint many = nearest_point(bvh.view(), host_view(mesh), point);
    ASSERT_EQ(one.primitive, many.primitive);
    ASSERT_EQ(one.distance, many.distance);
  }
}

TEST_P(PointQueries, DistanceLimitsHoldToTheLastBit) {
  const Mesh mesh = generate_grid(4);
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  const std::vector<vec3> above{vec3(0.3f, 0.4f, 2)};
  EXPECT_TRUE(is_found(find_nearest(context(), bvh.view(), device.view(), above, 2)[0]));
  EXPECT_TRUE(is_found(find_nearest(context(), bvh.view(), device.view(), above, infinity)[0]));
  for (float limit : {std::nextafter(2.0f, 0.0f), 0.0f, -1.0f, -infinity, nan}) {
    EXPECT_FALSE(is_found(find_nearest(context(), bvh.view(), device.view(), above, limit)[0])) << limit;
  }
  EXPECT_TRUE(is_found(find_nearest(context(), bvh.view(), device.view(), {vec3(0.3f, 0.4f, 0)}, 0)[0]));
}

/// From 2^14 on, points are processed in another order than theirs.
TEST_P(PointQueries, ManyPointsGetTheirOwnAnswers) {
  const Mesh mesh = generate_random(300, 0.1f);
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  const test::HostBvh host = test::build_host_bvh(host_view(mesh), 2);
  for (u32 count : {16383u, 16384u, 20001u}) {
    std::vector<vec3> points = difficult_points(mesh, count, 8);
    points[7].y = nan;
    points[count - 1].z = infinity;
    const std::vector<NearestPoint> nearest = find_nearest(context(), bvh.view(), device.view(), points, 0.5f);
    const std::vector<Neighbour> neighbours =
        ask_neighbours(context(), bvh.view(), device.view(), points, 2, 0.5f);
    for (u32 i = 0; i < count; ++i) {
      const NearestPoint expected = nearest_point(host.view(), host_view(mesh), points[i], 0.5f);
      ASSERT_EQ(nearest[i].primitive, expected.primitive) << i;
      ASSERT_EQ(nearest[i].distance, expected.distance) << i;
      ASSERT_EQ(neighbours[2 * i].primitive, expected.primitive) << i;
    }
  }
}

TEST_P(PointQueries, PointsThatAreNoneFindNothing) {
  const Mesh mesh = generate_sphere(1);
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  std::vector<vec3> points;
  for (float bad : {nan, infinity, -infinity}) {
    for (int axis = 0; axis < 3; ++axis) {
      points.push_back(vec3(0));
      points.back()[axis] = bad;
    }
  }
  for (const NearestPoint& nearest : find_nearest(context(), bvh.view(), device.view(), points, infinity)) {
    EXPECT_FALSE(is_found(nearest));
  }
  for (const Neighbour& neighbour : ask_neighbours(context(), bvh.view(), device.view(), points, 3, infinity)) {
    EXPECT_EQ(neighbour.primitive, invalid_id);
  }
}

TEST_P(PointQueries, NeighboursOfAnyNumberAreSorted) {
  const Mesh mesh = generate_random(100, 0.2f);
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{.max_leaf_size = 3});
  const std::vector<vec3> points = difficult_points(mesh, 50, 5);
  const std::vector<Triangle> host = test::all_triangles({host_view(mesh)});
  for (u32 k : {1u, 2u, 64u, 99u, 100u, 130u}) {
    const std::vector<Neighbour> got = ask_neighbours(context(), bvh.view(), device.view(), points, k, infinity);
    for (size_t i = 0; i < points.size(); ++i) {
      const auto order = test::brute_force_order(host, points[i], infinity);
      for (u32 j = 0; j < k; ++j) {
        ASSERT_EQ(got[i * k + j].primitive, j < 100 ? order[j].second : invalid_id) << k << ", " << j;
      }
    }
  }
}

TEST_P(PointQueries, SeveralViewsReportTheirGeometryAndTheirOwnTriangles) {
  const Mesh mesh = generate_cube();
  Mesh moved = mesh;
  for (vec3& p : moved.positions) p.x += 3;
  const DeviceMesh first(context(), mesh), second(context(), moved);
  const std::vector<TriangleView> views = {first.view(7), second.view(9)};
  const Bvh bvh = build(context(), views, LbvhOptions{});
  const std::vector<vec3> points{vec3(-1, 0.3f, 0.4f), vec3(5, 0.3f, 0.4f)};
  const std::vector<NearestPoint> nearest = find_nearest(context(), bvh.view(), views, points, infinity);
  EXPECT_EQ(nearest[0].geometry, 7u);
  EXPECT_EQ(nearest[1].geometry, 9u);
  EXPECT_LT(nearest[1].primitive, 12u);
  EXPECT_EQ(nearest[0].distance, 1);
  EXPECT_EQ(nearest[1].distance, 1);
  const std::vector<Neighbour> neighbours = ask_neighbours(context(), bvh.view(), views, points, 1, infinity);
  EXPECT_EQ(neighbours[1].geometry, 9u);
  EXPECT_EQ(neighbours[1].primitive, nearest[1].primitive);
}

TEST_P(PointQueries, FollowARefittedTree) {
  Mesh mesh = generate_sphere(2);
  Bvh bvh = build(context(), DeviceMesh(context(), mesh).view(), LbvhOptions{.max_leaf_size = 2});
  for (vec3& p : mesh.positions) p = p * vec3(2, 0.5f, 1) + vec3(1, 1, 1);
  mesh.positions[7].x = nan;
  const DeviceMesh moved(context(), mesh);
  refit(context(), bvh, moved.view());
  const std::vector<Triangle> host = test::all_triangles({host_view(mesh)});
  expect_brute_force(context(), bvh.view(), moved.view(), {host, difficult_points(generate_sphere(1), 300, 6)});
}

TEST_P(PointQueries, PointsAreInsideAClosedMesh) {
  const Mesh mesh = generate_sphere(3);
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  test::RayMaker make(7);
  std::vector<vec3> points{vec3(0), vec3(nan, 0, 0), vec3(infinity, 0, 0)};
  // Points in the planes and lines of vertices, so that rays along axes hit vertices and edges.
  for (const vec3& p : mesh.positions)
    points.insert(points.end(), {p * 0.5f, p * 0.9f, p * 1.1f, vec3(p.x, 0, 0)});
  for (int i = 0; i < 2000; ++i) points.push_back(make.point(-1.2f, 1.2f));
  const Buffer<vec3> queries(context(), points);
  Buffer<u8> inside(context(), points.size());
  points_inside(context(), bvh.view(), device.view(), queries.span(), inside.span());
  const std::vector<u8> got = inside.download();
  u32 checked = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const float length = glm::length(points[i]);
    if (length > 0.98f && length < 1.0001f) continue;  // between the facets and the sphere
    EXPECT_EQ(got[i], length < 1 ? 1 : 0) << points[i].x << " " << points[i].y << " " << points[i].z;
    ++checked;
  }
  EXPECT_GT(checked, 2000u);
}

/// A grid of points in a block of cubes that share no vertices: rays run along faces, edges and diagonals.
TEST_P(PointQueries, PointsAreInsideCubesWhoseFacesRaysRunAlong) {
  Mesh mesh;
  const auto is_full = [](int x, int y, int z) { return (x + y + z) % 2 == 0; };
  for (int cell = 0; cell < 27; ++cell) {
    const int x = cell % 3, y = cell / 3 % 3, z = cell / 9;
    if (!is_full(x, y, z)) continue;
    const Mesh cube = generate_cube();
    const u32 first = u32(mesh.positions.size());
    for (const vec3& p : cube.positions) mesh.positions.push_back(p + vec3(x, y, z));
    for (const uvec3& t : cube.triangles) mesh.triangles.push_back(t + uvec3(first));
  }
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  std::vector<vec3> points;
  std::vector<u8> expected;
  for (int i = 0; i < 18 * 18 * 18; ++i) {
    const vec3 p = vec3(i % 18, i / 18 % 18, i / 324) * 0.25f - 0.5f;
    const vec3 in_cell = p - glm::floor(p);
    if (in_cell.x == 0 || in_cell.y == 0 || in_cell.z == 0) continue;  // on a face
    const bool outside = p.x < 0 || p.y < 0 || p.z < 0 || p.x > 3 || p.y > 3 || p.z > 3;
    points.push_back(p);
    expected.push_back(!outside && is_full(int(p.x), int(p.y), int(p.z)) ? 1 : 0);
  }
  const Buffer<vec3> queries(context(), points);
  Buffer<u8> inside(context(), points.size());
  points_inside(context(), bvh.view(), device.view(), queries.span(), inside.span());
  EXPECT_EQ(inside.download(), expected);
}

TEST_P(PointQueries, RefuseSpansThatDoNotFit) {
  const Mesh mesh = generate_cube();
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  Buffer<vec3> points(context(), 10);
  Buffer<NearestPoint> nearest(context(), 9);
  Buffer<Neighbour> neighbours(context(), 25);
  const BufferSpan<const vec3> queries = points.span();
  EXPECT_COPSE_ERROR(nearest_points(context(), bvh.view(), device.view(), queries, nearest.span()),
                     ErrorCode::invalid_argument, "9 results, but the number of points is 10");
  EXPECT_COPSE_ERROR(nearest_primitives(context(), bvh.view(), device.view(), queries, neighbours.span()),
                     ErrorCode::invalid_argument, "25 neighbours, no multiple of 10");
  const BufferSpan<u8> over(reinterpret_cast<u8*>(points.data()), 10);
  EXPECT_COPSE_ERROR(points_inside(context(), bvh.view(), device.view(), queries, over),
                     ErrorCode::invalid_argument, "overlap");
  EXPECT_COPSE_ERROR(nearest_points(context(), BvhView{}, device.view(), queries.first(9), nearest.span()),
                     ErrorCode::invalid_argument, "0 nodes");
}

TEST_P(PointQueries, AreAskedAgainByACapturedGraph) {
  const Mesh mesh = generate_sphere(2);
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  Buffer<vec3> points(context(), difficult_points(mesh, 500, 1));
  Buffer<NearestPoint> nearest(context(), 500);
  const auto work = [&] { nearest_points(context(), bvh.view(), device.view(), points.span(), nearest.span()); };
  work();
  Graph graph = context().capture(work);
  const std::vector<vec3> other = difficult_points(mesh, 500, 2);
  points.upload(other);
  graph.launch();
  const std::vector<NearestPoint> replayed = nearest.download();
  const std::vector<NearestPoint> expected = find_nearest(context(), bvh.view(), device.view(), other, infinity);
  EXPECT_TRUE(test::same_bytes(replayed, expected));
}

COPSE_ON_EACH_BACKEND(PointQueries);

TEST(PointQueriesOnBoth, GiveTheSameBytesOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  for (const Mesh& mesh : {generate_random(3000, 0.1f), generate_sphere(4), load_mesh("assets/testball.ply")}) {
    const std::vector<vec3> points = difficult_points(mesh, 20000, 1);
    std::vector<NearestPoint> nearest[2];
    std::vector<Neighbour> neighbours[2];
    std::vector<u8> inside[2];
    for (Backend backend : {Backend::cpu, Backend::cuda}) {
      Context context({.backend = backend});
      const DeviceMesh device(context, mesh);
      const Bvh bvh = build(context, device.view(), LbvhOptions{.max_leaf_size = 4});
      const u32 at = backend == Backend::cuda;
      nearest[at] = find_nearest(context, bvh.view(), device.view(), points, infinity);
      neighbours[at] = ask_neighbours(context, bvh.view(), device.view(), points, 8, 0.5f);
      const Buffer<vec3> queries(context, points);
      Buffer<u8> answers(context, points.size());
      points_inside(context, bvh.view(), device.view(), queries.span(), answers.span());
      inside[at] = answers.download();
    }
    EXPECT_TRUE(test::same_bytes(nearest[0], nearest[1]));
    EXPECT_TRUE(test::same_bytes(neighbours[0], neighbours[1]));
    EXPECT_EQ(inside[0], inside[1]);
  }
}

}  // namespace
}  // namespace copse
