// Rays prepared for fast traversal.

#include "trace/hit/prepared_ray.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/common.hpp>
#include <limits>

#include "builders/geometry/generate.h"
#include "tests/support/values.h"
#include "tests/trace/oracle.h"
#include "tests/trace/uneven_rays.h"

namespace copse {
namespace {

using detail::make_common_range_slabs;
using detail::passes_by;
using detail::prepare_ray;
using detail::PreparedRay;
using detail::TreeReach;
using test::nan;
using test::RayMaker;

bool is_common_range(const Ray& ray, const Aabb& bounds) {
  RaySlabs slabs;
  return make_common_range_slabs(ray, TreeReach::of(bounds), slabs);
}

/// True if a ray that is prepared for `bounds` may have a hit in `box`.
bool may_hit(const Ray& ray, const Aabb& bounds, const Aabb& box) {
  const PreparedRay prepared = prepare_ray(ray, TreeReach::of(bounds));
  if (prepared.gives_up) return true;
  return prepared.enters && is_within(intersect_box(prepared.slabs, box.lo, box.hi), prepared.box_limit);
}

Ray aimed_at(const Triangle& triangle, RayMaker& make, int i, float origins) {
  const float x = i % 3 == 0 ? 0.0f : make.uniform(0, 1), y = i % 3 == 2 ? make.uniform(0, 1 - x) : 0.0f;
  const vec3 origin = make.point(-1, 1) * origins;
  Ray ray{origin, 0, triangle.a + (triangle.b - triangle.a) * x + (triangle.c - triangle.a) * y - origin,
          infinity};
  if (i % 5 == 0) ray.direction[i % 3] = 0.0f;
  if (i % 7 == 0) ray.direction[i % 3] *= 1e-10f;
  if (i % 11 == 0) ray.direction *= std::exp2(make.uniform(-39, 39));
  return ray;
}

struct Counts {
  u32 hits = 0, common_range = 0;
};

/// No box is missed at the very t of a hit in it.
Counts expect_boxes_around_hits_are_entered(float decades) {
  RayMaker make(21);
  Counts counts;
  for (int i = 0; i < 200000; ++i) {
    const float scale = std::pow(10.0f, make.uniform(-decades, decades));
    const vec3 at = make.point(-1, 1) * std::pow(10.0f, make.uniform(-decades, decades));
    const Triangle triangle{at + make.point(-1, 1) * scale, at + make.point(-1, 1) * scale,
                            at + make.point(-1, 1) * scale};
    Ray ray = aimed_at(triangle, make, i, std::pow(10.0f, make.uniform(-decades, decades)));
    TriangleHit hit;
    if (!is_traceable(ray) || is_empty(bounds(triangle)) ||
        !intersect_triangle(make_shear(ray), triangle, ray.t_min, ray.t_max, hit)) {
      continue;
    }
    ray.t_max = hit.t;
    if (i % 4 == 1) ray.t_min = hit.t;
    if (i % 4 == 2) ray.t_min = -std::pow(10.0f, make.uniform(-decades, decades)) * hit.t;
    if (i % 4 == 3) ray.t_min = i % 8 == 3 ? -infinity : hit.t * make.uniform(0, 1);
    const Aabb box = bounds(triangle), larger = merge(box, {make.point(-1, 0) * 1e3f, make.point(0, 1) * 1e3f});
    ++counts.hits;
    counts.common_range += is_common_range(ray, larger) ? 1 : 0;
    EXPECT_TRUE(may_hit(ray, box, box)) << i << " " << test::text(ray);
    EXPECT_TRUE(may_hit(ray, larger, box)) << i << " " << test::text(ray);
    EXPECT_FALSE(passes_by(ray, TreeReach::of(box))) << i << " " << test::text(ray);
    EXPECT_FALSE(passes_by(ray, TreeReach::of(larger))) << i << " " << test::text(ray);
  }
  return counts;
}

TEST(PreparedRay, EntersBoxesAroundTrianglesThatItHits) {
  const Counts counts = expect_boxes_around_hits_are_entered(4);
  EXPECT_GT(counts.hits, 50000u);
  EXPECT_GT(counts.common_range, counts.hits / 2);
}
TEST(PreparedRay, EntersThemAtExtremeScales) {
  const Counts counts = expect_boxes_around_hits_are_entered(18);
  EXPECT_GT(counts.hits, 20000u);
  EXPECT_LT(counts.common_range, counts.hits);
}

TEST(PreparedRay, EntersThemWhereNumbersUnderflow) {
  test::UnevenMaker uneven(32, {-149, 60});
  Counts counts;
  for (int i = 0; i < 200000; ++i) {
    uneven.choose_sizes();
    const Triangle triangle = uneven.triangle();
    Ray ray = uneven.at(triangle);
    TriangleHit hit;
    if (!is_traceable(ray) || !intersect_triangle(make_shear(ray), triangle, ray.t_min, ray.t_max, hit)) continue;
    ray.t_max = hit.t;
    const Aabb box = bounds(triangle);
    ++counts.hits;
    counts.common_range += is_common_range(ray, box) ? 1 : 0;
    ASSERT_TRUE(may_hit(ray, box, box)) << i << " " << test::text(ray);
    ASSERT_FALSE(passes_by(ray, TreeReach::of(box))) << i << " " << test::text(ray);
  }
  EXPECT_GT(counts.hits, 50000u);
  EXPECT_GT(counts.common_range, 1000u);
}

TEST(PreparedRay, EntersTheBoxOfAHitBehindTheOriginWhoseTimeRoundsToZero) {
  u32 hits = 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (float speed = 1e9f; speed < 2e37f; speed *= 1e3f) {
      for (const float part : {0.01f, 0.3f, 0.49f}) {
        vec3 behind(0), direction(0);
        behind[axis] = -speed * 1.4e-45f * part;
        direction[axis] = speed;
        const float size = 1e-24f;
        const vec3 side = vec3(axis == 0 ? 0 : size, axis == 1 ? 0 : size, axis == 2 ? 0 : size);
        vec3 other = side;
        other[(axis + 1) % 3] *= -1;
        const Triangle triangle{behind - side, behind + side, behind + other * 2.0f - side * 0.5f};
        const Ray ray{vec3(0), 0, direction, infinity};
        TriangleHit hit;
        if (!intersect_triangle(make_shear(ray), triangle, ray.t_min, ray.t_max, hit)) continue;
        ++hits;
        EXPECT_FALSE(passes_by(ray, TreeReach::of(bounds(triangle)))) << test::text(ray) << " " << part;
      }
    }
  }
  EXPECT_GT(hits, 10u);
}

TEST(PreparedRay, OfACameraIsInTheCommonRangeWhereverItLooks) {
  RayMaker make(22);
  const Aabb bounds{vec3(-3, 0, 100), vec3(5, 1, 120)};
  for (int i = 0; i < 10000; ++i) {
    const Ray ray = make.into(bounds);
    EXPECT_TRUE(is_common_range(ray, bounds)) << test::text(ray);
    EXPECT_TRUE(is_common_range({vec3(0), 0, glm::normalize(ray.direction), infinity}, bounds)) << test::text(ray);
    Ray straight = ray;
    straight.direction[i % 3] = i % 2 == 0 ? 0.0f : -0.0f;
    EXPECT_TRUE(is_common_range(straight, bounds)) << test::text(straight);
  }
}

TEST(PreparedRay, ThatIsNoneEntersNothing) {
  const Aabb bounds{vec3(-1), vec3(1)};
  const Ray good{vec3(0.5f, 0.25f, -2), 0, vec3(0.1f, 0.2f, 1), infinity};
  EXPECT_TRUE(prepare_ray(good, TreeReach::of(bounds)).enters);
  std::vector<Ray> none;
  for (const float bad : {nan, infinity, -infinity}) {
    for (int axis = 0; axis < 3; ++axis) {
      none.insert(none.end(), {good, good});
      none[none.size() - 2].origin[axis] = bad;
      none.back().direction[axis] = bad;
    }
  }
  none.push_back({good.origin, nan, good.direction, infinity});
  none.push_back({good.origin, 0, good.direction, nan});
  none.push_back({good.origin, infinity, good.direction, infinity});
  none.push_back({good.origin, 1.5f, good.direction, 1.25f});
  none.push_back({good.origin, 0, vec3(0, -0.0f, 0), infinity});
  for (const Ray& ray : none) {
    const PreparedRay prepared = prepare_ray(ray, TreeReach::of(bounds));
    EXPECT_FALSE(prepared.enters || prepared.gives_up) << test::text(ray);
  }
}

TEST(PreparedRay, EntersNoTreeWithoutPrimitives) {
  RayMaker make(23);
  for (int i = 0; i < 1000; ++i) {
    const Ray ray = make.into({vec3(-1), vec3(1)});
    const PreparedRay prepared = prepare_ray(ray, TreeReach::of(Aabb::empty()));
    EXPECT_FALSE(prepared.enters || prepared.gives_up) << test::text(ray);
  }
}

/// Rays beside a box, and behind it, at many scales.
TEST(PreparedRay, PassesByBoxesThatItIsFarFrom) {
  RayMaker make(25);
  u32 missed = 0, passed = 0;
  for (int i = 0; i < 100000; ++i) {
    const float scale = std::pow(10.0f, make.uniform(-6, 6));
    const vec3 lo = make.point(-1, 1) * scale, hi = lo + make.point(0, 1) * scale;
    const Ray ray{make.point(-3, 3) * scale, 0, make.point(-1, 1), infinity};
    const PreparedRay prepared = prepare_ray(ray, TreeReach::of({lo, hi}));
    ASSERT_FALSE(prepared.gives_up) << test::text(ray);
    const bool passes = passes_by(ray, TreeReach::of({lo, hi}));
    EXPECT_FALSE(passes && prepared.enters) << test::text(ray);
    missed += prepared.enters ? 0 : 1, passed += passes ? 1 : 0;
  }
  EXPECT_GT(missed, 50000u);
  EXPECT_GT(passed, missed / 100 * 97);
}

TEST(PreparedRay, PassesByNothingOnTheWayBackward) {
  const Aabb bounds{vec3(-1), vec3(1)};
  EXPECT_TRUE(passes_by({vec3(0, 0, 3), 0, vec3(0, 0, 1), infinity}, TreeReach::of(bounds)));
  EXPECT_FALSE(passes_by({vec3(0, 0, 3), -10, vec3(0, 0, 1), infinity}, TreeReach::of(bounds)));
}

/// Otherwise the ray would visit more than it needs to.
TEST(PreparedRay, PadsTheEndsOfBoxesByLittle) {
  RayMaker make(24);
  for (int i = 0; i < 10000; ++i) {
    const vec3 lo = make.point(-1, 1), hi = lo + make.point(0, 1);
    const Ray ray = make.into({lo, hi});
    const glm::dvec3 one = (glm::dvec3(lo) - glm::dvec3(ray.origin)) / glm::dvec3(ray.direction);
    const glm::dvec3 other = (glm::dvec3(hi) - glm::dvec3(ray.origin)) / glm::dvec3(ray.direction);
    const glm::dvec3 first = glm::min(one, other), last = glm::max(one, other);
    const double entry = std::max({first.x, first.y, first.z, 0.0}), exit = std::min({last.x, last.y, last.z});
    if (entry > exit) continue;
    const PreparedRay prepared = prepare_ray(ray, TreeReach::of({lo, hi}));
    ASSERT_FALSE(prepared.gives_up);
    const BoxSpan span = intersect_box(prepared.slabs, lo, hi);
    const glm::dvec3 grain = 2e-5 / glm::abs(glm::dvec3(ray.direction));
    const double slack = 2e-5 + std::max({grain.x, grain.y, grain.z});
    EXPECT_NEAR(span.entry / prepared.slabs.time_scale, entry, slack) << test::text(ray);
    EXPECT_NEAR(span.exit / prepared.slabs.time_scale, exit, slack) << test::text(ray);
    EXPECT_LE(span.entry / prepared.slabs.time_scale, entry + 1e-6 * entry) << test::text(ray);
  }
}

}  // namespace
}  // namespace copse
