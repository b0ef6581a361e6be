// Triangles that rays see nearly edge-on: their hits are where they should be, and equal through every structure.

#include <gtest/gtest.h>
#include <glm/common.hpp>

#include <cmath>

#include "builders/grid/frustum_grid.h"
#include "builders/grid/uniform_grid.h"
#include "tests/support/backends.h"
#include "tests/trace/all_layouts.h"
#include "tests/trace/batches.h"
#include "tests/trace/slivers.h"
#include "trace/frustum_march.h"
#include "trace/frustum_rays.h"

namespace copse {
namespace {

using glm::dvec3;
using test::build_host_bvh;
using test::DeviceMesh;
using test::host_view;
using test::RayMaker;
using test::SliverScene;

constexpr double rounding = 1.0 / (1u << 24);

/// The distance of a hit from where it should be, in roundings.
struct SliverError {
  double in_time = 0;   // from the ray's part in the triangle's box, as a share of the time to the farthest corner
  double in_space = 0;  // from the point of its weights, as a share of the distance to the farthest corner
};

/// The times at which a ray enters and leaves the box of a triangle.
struct TimesOfBox {
  double entry, exit;
};

TimesOfBox box_of(const Ray& ray, const Triangle& triangle) {
  const dvec3 origin(ray.origin), direction(ray.direction);
  const Aabb box = bounds(triangle);
  const dvec3 lo = (dvec3(box.lo) - origin) / direction, hi = (dvec3(box.hi) - origin) / direction;
  const dvec3 near = glm::min(lo, hi), far = glm::max(lo, hi);
  return {std::max({near.x, near.y, near.z}), std::min({far.x, far.y, far.z})};
}

SliverError error_of(const Ray& ray, const Triangle& triangle, const TriangleHit& hit) {
  const dvec3 origin(ray.origin), direction(ray.direction);
  const dvec3 a = dvec3(triangle.a) - origin, b = dvec3(triangle.b) - origin, c = dvec3(triangle.c) - origin;
  const dvec3 farthest = glm::max(glm::abs(a), glm::max(glm::abs(b), glm::abs(c)));
  const u32 axis = make_shear(ray).axis;
  const TimesOfBox box = box_of(ray, triangle);
  const double outside = std::max({0.0, box.entry - hit.t, hit.t - box.exit});
  const dvec3 apart =
      glm::abs(a * (1.0 - hit.u - hit.v) + b * double(hit.u) + c * double(hit.v) - direction * double(hit.t));
  return {outside / (farthest[axis] / std::abs(direction[axis])) / rounding,
          std::max({apart.x, apart.y, apart.z}) / std::max({farthest.x, farthest.y, farthest.z}) / rounding};
}

TEST(Sliver, HitsLieInTheTrianglesBoxAndOnTheTriangle) {
  constexpr double most = 17;  // trace/hit/intersect.h
  RayMaker make(1);
  u32 hit_count = 0;
  for (u32 i = 0; i < (1u << 21); ++i) {
    Ray ray{make.point(-1, 1) * (i % 3 == 0 ? 100.0f : 1.0f), -infinity, make.point(-1, 1), infinity};
    const float begin = i % 5 == 0 ? 99.0f : -1.0f;
    if (i % 4 == 1) ray.direction[i / 4 % 3] *= 1e-4f;
    Triangle triangle = test::sliver_along(make, ray, begin, begin + 11);
    if (i % 4 == 0) {
      ray.origin = vec3(-1, -1, 0), ray.direction = vec3(0.3f, 0.3f, 1);
      triangle = test::sliver_in_diagonal(make);
    }
    TriangleHit hit;
    if (!intersect_triangle(make_shear(ray), triangle, ray.t_min, ray.t_max, hit)) continue;
    ++hit_count;
    const SliverError error = error_of(ray, triangle, hit);
    ASSERT_LE(error.in_time, most) << i << ", " << test::text(ray);
    ASSERT_LE(error.in_space, most) << i << ", " << test::text(ray);
  }
  EXPECT_GT(hit_count, 400000u);
}

template <class View>
void expect_hit(const View& tree, const TriangleView& triangles, const Ray& ray, const Hit& expected) {
  const Hit hit = closest_hit(tree, triangles, ray);
  ASSERT_TRUE(test::same_bits(hit, expected))
      << test::text(ray) << ": " << test::text(hit) << ", expected " << test::text(expected);
}

/// Across the ray, where it has gone on for `t`.
Triangle triangle_across(const Ray& ray, float t) {
  const vec3 at = ray.origin + ray.direction * t;
  const vec3 aside = glm::cross(ray.direction, vec3(0.3f, -0.4f, 0.5f)), up = glm::cross(ray.direction, aside);
  return {at - 9.0f * aside - 9.0f * up, at + 9.0f * aside - 8.0f * up, at + 9.0f * up};
}

/// A sliver, and a triangle that the ray meets just before the sliver's box. If the sliver's t were before its
/// box, the triangle would hide it in some trees and not in others.
TEST(Sliver, HidesNothingInFrontOfItsBoxInAnyTree) {
  RayMaker make(2);
  u32 tree_count = 0;
  for (u32 i = 0; i < (1u << 20); ++i) {
    Ray ray{vec3(-1, -1, 0), 0, vec3(0.3f, 0.3f, 1), infinity};
    if (i % 2 == 1) ray = {make.point(-1, 1), 0, make.point(-1, 1), infinity};
    if (i % 4 == 1) ray.direction[i / 4 % 3] *= 1e-4f;
    const Triangle sliver = i % 2 == 0 ? test::sliver_in_diagonal(make) : test::sliver_along(make, ray, -1, 10);
    TriangleHit hit;
    if (!intersect_triangle(make_shear(ray), sliver, 0, infinity, hit)) continue;
    const float entry = float(box_of(ray, sliver).entry), at = entry * make.uniform(0.9f, 1);
    if (!(at > 0)) continue;
    ++tree_count;
    Mesh mesh;
    test::add_triangle(mesh, sliver);
    test::add_triangle(mesh, triangle_across(ray, at));
    const TriangleView triangles = host_view(mesh);
    const test::HostBvh binary = build_host_bvh(triangles, 1);
    const Hit expected = test::brute_force_hit({triangles}, ray);
    ASSERT_NO_FATAL_FAILURE(expect_hit(binary.view(), triangles, ray, expected));
    if (i % 8 > 2) continue;
    const auto four = test::build_host_wide<Bvh4Node>(binary);
    const auto compressed = test::build_host_wide<CompressedBvh4Node>(binary);
    const auto eight = test::build_host_wide<CompressedBvh8Node>(binary);
    ASSERT_NO_FATAL_FAILURE(expect_hit(four.view(), triangles, ray, expected));
    ASSERT_NO_FATAL_FAILURE(expect_hit(compressed.view(), triangles, ray, expected));
    ASSERT_NO_FATAL_FAILURE(expect_hit(eight.view(), triangles, ray, expected));
  }
  EXPECT_GT(tree_count, 100000u);
}

class Slivers : public test::OnEachBackend {};

/// Once, the first triangle was found nearer than its box, in a leaf together with the second, and not in its own
/// leaf.
TEST_P(Slivers, AreFoundWhereTheyAreInLeavesOfOneAndOfTwo) {
  Mesh mesh;
  test::add_triangle(mesh,
                     {vec3(0.349938393f, 0.349938482f, 0.462048829f), vec3(9.11041355f, 9.1104126f, 5.57164526f),
                      vec3(0.456822902f, 0.456822753f, 9.36983109f)});
  test::add_triangle(mesh, {vec3(-2, -2, 4.3f), vec3(3, 0, 4.3f), vec3(0, 3, 4.3f)});
  const std::vector<Ray> rays = {{vec3(-1, -1, 0), 0, vec3(0.3f, 0.3f, 1), infinity}};
  EXPECT_EQ(test::brute_force_hit({host_view(mesh)}, rays[0]).primitive, 1u);
  for (const u32 leaf_size : {1, 2}) {
    test::expect_brute_force_in_all_layouts(context(), mesh, build_host_bvh(host_view(mesh), leaf_size), rays);
  }
}

TEST_P(Slivers, HaveEqualHitsInAllLayouts) {
  for (u32 seed = 0; seed < 6; ++seed) {
    const SliverScene scene(seed);
    const std::vector<Hit> expected = test::brute_force_hits({host_view(scene.mesh)}, scene.rays);
    for (const u32 leaf_size : {1, 3, 8}) {
      SCOPED_TRACE(leaf_size);
      const test::HostBvh tree = build_host_bvh(host_view(scene.mesh), leaf_size);
      ASSERT_NO_FATAL_FAILURE(test::expect_hits_in_all_layouts(context(), scene.mesh, tree, scene.rays, expected));
    }
  }
}

TEST_P(Slivers, HaveEqualHitsInGrids) {
  for (u32 seed = 0; seed < 6; ++seed) {
    const SliverScene scene(seed);
    const DeviceMesh device(context(), scene.mesh);
    const std::vector<Hit> expected = test::brute_force_hits({host_view(scene.mesh)}, scene.rays);
    for (const uvec3& resolution : {uvec3(1), uvec3(40, 7, 16), uvec3(100)}) {
      const Grid grid = build_grid(context(), device.view(), {.resolution = resolution});
      ASSERT_NO_FATAL_FAILURE(
          test::expect_results("grid of " + std::to_string(resolution.x), scene.rays,
                               test::trace(context(), grid.view(), device.view(), scene.rays),
                               test::trace_any(context(), grid.view(), device.view(), scene.rays), expected));
    }
  }
}

TEST_P(Slivers, HaveEqualHitsInFrustumGrids) {
  for (u32 seed = 0; seed < 6; ++seed) {
    const SliverScene scene(seed);
    const DeviceMesh device(context(), scene.mesh);
    for (const uvec3& resolution : {uvec3(8, 8, 16), uvec3(64, 48, 3)}) {
      const FrustumGrid grid =
          build_frustum_grid(context(), device.view(), view_frustum(scene.camera), {.resolution = resolution});
      Buffer<Hit> hits(context(), u64{scene.width} * scene.height);
      closest_hits(context(), grid.view(), device.view(), scene.width, scene.height, hits.span());
      const std::vector<Hit> picture = hits.download();
      for (size_t i = 0; i < picture.size(); ++i) {
        const Hit expected = test::brute_force_hit({host_view(scene.mesh)}, scene.rays[i]);
        ASSERT_TRUE(test::same_bits(picture[i], expected))
            << "pixel " << i << ", " << test::text(scene.rays[i]) << ": " << test::text(picture[i])
            << ", expected " << test::text(expected);
      }
    }
  }
}

COPSE_ON_EACH_BACKEND(Slivers);

}  // namespace
}  // namespace copse
