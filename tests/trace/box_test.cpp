#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <limits>

#include "tests/support/values.h"
#include "tests/trace/oracle.h"
#include "tests/trace/uneven_rays.h"
#include "trace/hit/intersect.h"
#include "trace/hit/slabs.h"

namespace copse {
namespace {

using test::RayMaker;

/// Tests a ray against a box of a tree that lies within `bounds`.
bool hits(const Ray& ray, const Aabb& box, const Aabb& bounds) {
  const RaySlabs slabs = make_slabs(ray, bounds);
  return slabs.is_bounded && is_within(intersect_box(slabs, box.lo, box.hi), box_limit(slabs, ray.t_max));
}

bool hits(const Ray& ray, const Aabb& box) {
  const bool alone = hits(ray, box, box);
  EXPECT_EQ(hits(ray, box, {box.lo - 10.0f, box.hi + 7.0f}), alone) << test::text(ray);
  return alone;
}

TEST(Box, IsHitFromOutsideAndInside) {
  const Aabb box{vec3(-1), vec3(1)};
  EXPECT_TRUE(hits({vec3(-3, 0, 0), 0, vec3(1, 0, 0), infinity}, box));
  EXPECT_TRUE(hits({vec3(0), 0, vec3(0.3f, -0.2f, 0.1f), infinity}, box));
  EXPECT_FALSE(hits({vec3(-3, 0, 0), 0, vec3(-1, 0, 0), infinity}, box));
  EXPECT_FALSE(hits({vec3(-3, 1.1f, 0), 0, vec3(1, 0, 0), infinity}, box));
  EXPECT_FALSE(hits({vec3(-3, 0, 0), 0, vec3(1, 0, 0), 1.9f}, box));
  EXPECT_FALSE(hits({vec3(-3, 0, 0), 4.1f, vec3(1, 0, 0), infinity}, box));
  EXPECT_TRUE(hits({vec3(3, 0, 0), -infinity, vec3(1, 0, 0), 0}, box));
}

TEST(Box, RaysInItsFacesHitIt) {
  const Aabb box{vec3(-1), vec3(1)};
  for (float zero : {0.0f, -0.0f}) {
    for (float y : {-1.0f, 1.0f}) {
      EXPECT_TRUE(hits({vec3(-3, y, 0), 0, vec3(1, zero, zero), infinity}, box));
      EXPECT_TRUE(hits({vec3(-3, y, y), 0, vec3(1, zero, zero), infinity}, box));
      EXPECT_TRUE(hits({vec3(3, y, 0.5f), 0, vec3(-1, zero, 0.1f), infinity}, box));
      EXPECT_FALSE(hits({vec3(-3, y * 1.001f, 0), 0, vec3(1, zero, zero), infinity}, box));
    }
  }
}

TEST(Box, FlatOnesAreHit) {
  const Aabb plate{vec3(-1, 2, -1), vec3(1, 2, 1)}, point{vec3(2), vec3(2)};
  EXPECT_TRUE(hits({vec3(0), 0, vec3(0, 1, 0), infinity}, plate));
  EXPECT_TRUE(hits({vec3(-3, 2, 0), 0, vec3(1, 0, 0), infinity}, plate));
  EXPECT_TRUE(hits({vec3(0), 0, vec3(1), infinity}, point));
  EXPECT_TRUE(hits({vec3(2), 0, vec3(1, 0, 0), infinity}, point));
  EXPECT_FALSE(hits({vec3(0), 0, vec3(1, 1, 0.99f), infinity}, point));
}

TEST(Box, EmptyOnesAreMissed) {
  const float components[] = {0.0f, -0.0f, 1.0f, -1.0f, 1e-40f, -1e-40f, 1e-30f, 1e30f};
  for (float x : components) {
    for (float y : components) {
      for (float z : components) {
        const Ray ray{vec3(0.5f, -3, 2), -infinity, vec3(x, y, z), infinity};
        if (is_traceable(ray)) {
          EXPECT_FALSE(hits(ray, Aabb::empty(), {vec3(-1), vec3(2)})) << x << " " << y << " " << z;
        }
      }
    }
  }
}

TEST(Box, IsHitAlongDenormalDirections) {
  const Aabb box{vec3(1e-4f, -1, -1), vec3(1, 1, 1)};
  EXPECT_TRUE(hits({vec3(0), 0, vec3(1e-40f, 0, 0), infinity}, box));
  EXPECT_TRUE(hits({vec3(0), 0, vec3(1e-40f, 1e-41f, -1e-44f), infinity}, box));
  EXPECT_TRUE(hits({vec3(0.5f, 0, -3), 0, vec3(1e-40f, -1e-40f, 1), infinity}, box));
  EXPECT_TRUE(hits({vec3(0), 0, vec3(std::numeric_limits<float>::denorm_min(), 0, 0), infinity},
                   Aabb{vec3(1e-8f, -1, -1), vec3(1)}));
  EXPECT_FALSE(hits({vec3(0), 0, vec3(-1e-40f, 0, 0), infinity}, box));
  EXPECT_FALSE(hits({vec3(0, 0, -3), 0, vec3(1e-40f, 0, 1), 10}, box));
  EXPECT_FALSE(hits({vec3(0), 0, vec3(1e-40f, 0, 0), 7e35f}, box));
  EXPECT_TRUE(hits({vec3(0), 0, vec3(1e-40f, 0, 0), 2e36f}, box));
}

TEST(Box, EndsArePaddedOutwardsByLittle) {
  RayMaker make(3);
  for (int i = 0; i < 10000; ++i) {
    const vec3 lo = make.point(-1, 1), hi = lo + make.point(0, 1);
    Ray ray = make.into({lo, hi});
    ray.t_min = i % 2 == 0 ? 0 : make.uniform(-1, 1);
    const glm::dvec3 near = (glm::dvec3(lo) - glm::dvec3(ray.origin)) / glm::dvec3(ray.direction);
    const glm::dvec3 far = (glm::dvec3(hi) - glm::dvec3(ray.origin)) / glm::dvec3(ray.direction);
    const glm::dvec3 first = glm::min(near, far), last = glm::max(near, far);
    const double entry = std::max({first.x, first.y, first.z, double(ray.t_min)});
    const double exit = std::min({last.x, last.y, last.z});
    if (entry > exit) continue;
    const RaySlabs slabs = make_slabs(ray, {lo, hi});
    const BoxSpan span = intersect_box(slabs, lo, hi);
    const double span_entry = (double(span.entry) + slabs.start) / slabs.time_scale;
    const double span_exit = (double(span.exit) + slabs.start) / slabs.time_scale;
    EXPECT_LE(span_entry, entry + 1e-6 * (std::abs(entry) + std::abs(ray.t_min)));  // less than limits are
    EXPECT_GE(span_exit, exit);
    const glm::dvec3 grain = 1e-5 / glm::abs(glm::dvec3(ray.direction));
    const double slack = 1e-5 + std::max({grain.x, grain.y, grain.z});
    EXPECT_GE(span_entry, entry - slack) << test::text(ray);
    EXPECT_LE(span_exit, exit + slack) << test::text(ray);
    EXPECT_TRUE(is_within(span, box_limit(slabs, float(entry))));
  }
}

/// A triangle and a ray at one of its corners, at an edge or inside, anywhere and of any size.
struct AimedRay {
  Triangle triangle;
  Ray ray;
};

AimedRay aimed_ray(RayMaker& make, int i, float decades) {
  const auto any_scale = [&] { return std::pow(10.0f, make.uniform(-decades, decades)); };
  const float scale = any_scale();
  const vec3 at = make.point(-1, 1) * any_scale();
  const Triangle triangle{at + make.point(-1, 1) * scale, at + make.point(-1, 1) * scale,
                          at + make.point(-1, 1) * scale};
  const vec3 origin = make.point(-1, 1) * any_scale();
  const float x = i % 3 == 0 ? 0.0f : make.uniform(0, 1), y = i % 3 == 2 ? make.uniform(0, 1 - x) : 0.0f;
  Ray ray{origin, 0, triangle.a + (triangle.b - triangle.a) * x + (triangle.c - triangle.a) * y - origin,
          infinity};
  if (i % 5 == 0) ray.direction[i % 3] = i % 2 ? 0.0f : -0.0f;
  if (i % 7 == 0) ray.direction[i % 3] *= 1e-38f;
  if (i % 11 == 0) ray.direction *= any_scale();
  return {triangle, ray};
}

/// Traversal needs this, and it is why boxes are padded: no box is missed at the very t of a hit in it.
void expect_boxes_around_hits_are_hit(float decades, u32 min_hits) {
  RayMaker make(11);
  u32 hit_count = 0;
  for (int i = 0; i < 300000; ++i) {
    auto [triangle, ray] = aimed_ray(make, i, decades);
    if (!is_traceable(ray) || is_empty(bounds(triangle))) continue;
    TriangleHit hit;
    if (!intersect_triangle(make_shear(ray), triangle, ray.t_min, ray.t_max, hit)) continue;
    ++hit_count;
    ray.t_max = hit.t;
    if (i % 4 == 1) ray.t_min = hit.t;
    if (i % 4 == 2) ray.t_min = -std::pow(10.0f, make.uniform(-decades, decades)) * hit.t;
    if (i % 4 == 3) ray.t_min = i % 8 == 3 ? -infinity : hit.t * make.uniform(0, 1);
    const Aabb box = bounds(triangle);
    const Aabb larger = merge(box, {make.point(-1, 0) * 1e3f, make.point(0, 1) * 1e3f});
    ASSERT_TRUE(hits(ray, box, box)) << i << " " << test::text(ray);
    ASSERT_TRUE(hits(ray, box, larger)) << i << " " << test::text(ray);
  }
  EXPECT_GT(hit_count, min_hits);
}

TEST(Box, AroundAHitTriangleIsHit) {
  expect_boxes_around_hits_are_hit(6, 50000);
}
TEST(Box, AroundAHitTriangleIsHitAtExtremeScales) {
  expect_boxes_around_hits_are_hit(18, 20000);
}
TEST(Box, AroundAHitTriangleIsHitAtTheEndsOfFloat) {
  expect_boxes_around_hits_are_hit(37, 5000);
}

/// Components of a direction differ so much that the shear is denormal or zero. So are products of weights and depths.
TEST(Box, AroundAHitTriangleIsHitWhereNumbersUnderflow) {
  u32 hit_count = 0;
  for (const auto& exponents : test::uneven_exponents) {
    test::UnevenMaker uneven(31, exponents);
    for (int i = 0; i < 200000; ++i) {
      uneven.choose_sizes();
      const Triangle triangle = uneven.triangle();
      Ray ray = uneven.at(triangle);
      TriangleHit hit;
      if (!is_traceable(ray) || !intersect_triangle(make_shear(ray), triangle, ray.t_min, ray.t_max, hit))
        continue;
      ++hit_count;
      ray.t_max = hit.t;
      if (i % 3 == 0) ray.t_min = hit.t;
      const Aabb box = bounds(triangle);
      ASSERT_TRUE(hits(ray, box, box)) << i << " " << test::text(ray);
      ASSERT_TRUE(hits(ray, box, merge(box, bounds(uneven.triangle())))) << i << " " << test::text(ray);
    }
  }
  EXPECT_GT(hit_count, 100000u);
}

/// A component of the direction is so small that the test sees none: along y, the ray seems to stay where it begins.
TEST(Box, AroundATriangleIsHitByARayFromVeryFarAway) {
  const Triangle triangle{vec3(1, 0, -0.0066f), vec3(1, 1, -3), vec3(1, 0, 6e7f)};
  const Ray ray{vec3(1e30f, 1.65e-18f, -0.23f), 0, vec3(-1e30f, -1.83e-18f, 0.23f), infinity};
  TriangleHit hit;
  ASSERT_TRUE(intersect_triangle(make_shear(ray), triangle, 0, infinity, hit));
  EXPECT_TRUE(hits(ray, bounds(triangle), bounds(triangle)));
}

/// The products of depths and weights are zero, and so is t.
TEST(Box, AroundATriangleIsHitAtATimeOfZeroInFrontOfTheOrigin) {
  const Triangle triangle{vec3(-1e-12f, -1e-12f, 1e-30f), vec3(3e-12f, -1e-12f, 1e-30f), vec3(0, 3e-12f, 1e-30f)};
  const Ray ray{vec3(0), 0, vec3(0, 0, 1), 0};
  TriangleHit hit;
  ASSERT_TRUE(intersect_triangle(make_shear(ray), triangle, 0, 0, hit));
  EXPECT_TRUE(hits(ray, bounds(triangle), bounds(triangle)));
}

}  // namespace
}  // namespace copse
