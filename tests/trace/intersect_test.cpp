#include "trace/hit/intersect.h"

#include <gtest/gtest.h>
#include <glm/common.hpp>

#include <limits>

#include "builders/geometry/generate.h"
#include "tests/support/values.h"
#include "tests/trace/oracle.h"
#include "trace/hit/slabs.h"

namespace copse {
namespace {

using test::nan;
using test::RayMaker;

constexpr float min_denormal = std::numeric_limits<float>::denorm_min();
const Triangle unit{vec3(0, 0, 0), vec3(1, 0, 0), vec3(0, 1, 0)};

Ray ray_down(float x, float y) {
  return {vec3(x, y, 1), 0, vec3(0, 0, -1), infinity};
}

bool hits(const Ray& ray, const Triangle& triangle, TriangleHit* out = nullptr) {
  TriangleHit hit{};
  const bool is = intersect_triangle(make_shear(ray), triangle, ray.t_min, ray.t_max, hit);
  if (out) *out = hit;
  return is;
}

TEST(FusedMultiplyAdd, RoundsOnce) {
  RayMaker make(4);
  const auto any_number = [&] { return std::ldexp(make.uniform(-2, 2), int(make.below(60)) - 30); };
  for (u32 i = 0; i < 1000000; ++i) {
    const float a = any_number(), b = any_number(), c = i % 2 == 0 ? any_number() : -(a * b);
    ASSERT_EQ(bits_of(fma_rn(a, b, c)), bits_of(std::fma(a, b, c))) << a << " " << b << " " << c;
  }
  // These lie next to the middle between two floats, by less than a double can hold.
  for (u32 i = 0; i < 100000; ++i) {
    const float half = std::ldexp(1.0f, -24), up = 1 + 2 * half, down = 1 - 2 * half;
    const float c = make.uniform(1, 2), sign = i % 2 == 0 ? 1.0f : -1.0f, scale = std::ldexp(1.0f, -int(i % 120));
    const float a = sign * half * up * scale, b = i % 3 == 0 ? down : i % 3 == 1 ? 1 : up;
    ASSERT_EQ(bits_of(fma_rn(a, b, c * scale)), bits_of(std::fma(a, b, c * scale))) << a << " " << b << " " << c;
  }
  for (float a : {0.0f, -0.0f, 1e-30f, -1e-38f, min_denormal, 3e38f, infinity, nan}) {
    for (float b : {0.0f, 1e-8f, -1e-8f, 1.0f, -2.0f, infinity}) {
      for (float c : {0.0f, -0.0f, 1e-38f, -min_denormal, 3e38f, -infinity}) {
        const float sum = fma_rn(a, b, c), expected = std::fma(a, b, c);
        EXPECT_TRUE(bits_of(sum) == bits_of(expected) || (sum != sum && expected != expected)) << a << b << c;
      }
    }
  }
}

TEST(Triangle, ReportsDistanceAndWeightsOfBAndC) {
  TriangleHit hit;
  ASSERT_TRUE(hits(ray_down(0.25f, 0.5f), unit, &hit));
  EXPECT_EQ(hit.t, 1.0f);
  EXPECT_EQ(hit.u, 0.25f);
  EXPECT_EQ(hit.v, 0.5f);
}

TEST(Triangle, DistanceIsInUnitsOfTheDirection) {
  TriangleHit hit;
  ASSERT_TRUE(hits({vec3(0.25f, 0.5f, 1), 0, vec3(0, 0, -4), infinity}, unit, &hit));
  EXPECT_EQ(hit.t, 0.25f);
}

TEST(Triangle, IsHitFromBothSidesInEitherWinding) {
  for (const Triangle& triangle : {unit, Triangle{unit.a, unit.c, unit.b}}) {
    EXPECT_TRUE(hits(ray_down(0.25f, 0.25f), triangle));
    EXPECT_TRUE(hits({vec3(0.25f, 0.25f, -1), 0, vec3(0, 0, 1), infinity}, triangle));
  }
}

TEST(Triangle, IsHitOnItsEdgesAndVertices) {
  for (const vec3& p :
       {vec3(0), vec3(1, 0, 0), vec3(0, 1, 0), vec3(0.5f, 0, 0), vec3(0, 0.5f, 0), vec3(0.5f, 0.5f, 0)}) {
    EXPECT_TRUE(hits(ray_down(p.x, p.y), unit)) << p.x << " " << p.y;
  }
  EXPECT_FALSE(hits(ray_down(0.5f, std::nextafter(0.5f, 1.0f)), unit));
  EXPECT_FALSE(hits(ray_down(-min_denormal, 0.5f), unit));
}

TEST(Triangle, BothEndsOfTheIntervalBelongToIt) {
  const float before = std::nextafter(1.0f, 0.0f), after = std::nextafter(1.0f, 2.0f);
  const auto in = [](float t_min, float t_max) {
    return hits({vec3(0.25f, 0.25f, 1), t_min, vec3(0, 0, -1), t_max}, unit);
  };
  EXPECT_TRUE(in(1, 1));
  EXPECT_TRUE(in(1, infinity));
  EXPECT_TRUE(in(-infinity, 1));
  EXPECT_FALSE(in(after, infinity));
  EXPECT_FALSE(in(0, before));
}

TEST(Triangle, IsHitBehindTheOriginWhereTheIntervalSaysSo) {
  TriangleHit hit;
  ASSERT_TRUE(hits({vec3(0.25f, 0.25f, 1), -5, vec3(0, 0, 1), 0}, unit, &hit));
  EXPECT_EQ(hit.t, -1.0f);
}

TEST(Triangle, IsMissedEdgeOn) {
  EXPECT_FALSE(hits({vec3(-1, 0.25f, 0), 0, vec3(1, 0, 0), infinity}, unit));
}

TEST(Triangle, WithoutAreaIsMissed) {
  const vec3 a(0.25f, 0.25f, 0);
  EXPECT_FALSE(hits(ray_down(0.25f, 0.25f), {a, a, a}));
  EXPECT_FALSE(hits(ray_down(0.25f, 0.25f), {a, a, vec3(1, 1, 0)}));
  EXPECT_FALSE(hits(ray_down(0.5f, 0.5f), {vec3(0), vec3(0.5f, 0.5f, 0), vec3(1, 1, 0)}));
}

TEST(Triangle, WithNanOrInfiniteVertexIsMissed) {
  for (float bad : {nan, infinity, -infinity}) {
    for (int corner = 0; corner < 3; ++corner) {
      for (int axis = 0; axis < 3; ++axis) {
        Triangle triangle = unit;
        (corner == 0 ? triangle.a : corner == 1 ? triangle.b : triangle.c)[axis] = bad;
        EXPECT_FALSE(hits(ray_down(0.25f, 0.25f), triangle)) << bad << " " << corner << " " << axis;
        EXPECT_FALSE(hits({vec3(1, 2, 3), 0, vec3(-0.9f, -1.8f, -3), infinity}, triangle));
      }
    }
  }
}

TEST(Triangle, IsHitAtExtremeScales) {
  for (float scale : {1e-36f, 1e-30f, 1e-20f, 1e-10f, 1e10f, 1e20f, 1e30f, 1e37f}) {
    const Triangle triangle{unit.a * scale, unit.b * scale, unit.c * scale};
    TriangleHit hit;
    ASSERT_TRUE(hits({vec3(0.25f, 0.5f, 1) * scale, 0, vec3(0, 0, -1), infinity}, triangle, &hit)) << scale;
    EXPECT_FLOAT_EQ(hit.t, scale);
    EXPECT_FLOAT_EQ(hit.u, 0.25f);
    EXPECT_FLOAT_EQ(hit.v, 0.5f);
  }
}

TEST(Triangle, IsHitAlongDirectionsOfExtremeLength) {
  for (float length : {1e-44f, 1e-40f, 1e-30f, 1e30f, 3e38f}) {
    TriangleHit hit;
    const vec3 origin(0.25f, 0.25f, length < 1 ? 1e-6f : 1.0f);
    ASSERT_TRUE(hits({origin, 0, vec3(0, 0, -length), infinity}, unit, &hit)) << length;
    EXPECT_FLOAT_EQ(hit.t, origin.z / length);
  }
}

TEST(Triangle, FartherThanTheLargestFloatIsMissed) {
  EXPECT_FALSE(hits({vec3(0.25f, 0.25f, 1), 0, vec3(0, 0, -1e-40f), infinity}, unit));
}

TEST(Triangle, AgreesWithDoublePrecision) {
  RayMaker make(1);
  u32 hit_count = 0;
  for (int i = 0; i < 20000; ++i) {
    const Triangle triangle{make.point(-1, 1), make.point(-1, 1), make.point(-1, 1)};
    const Ray ray = make.into({vec3(-1), vec3(1)});
    TriangleHit hit;
    const bool is = hits(ray, triangle, &hit);
    hit_count += is;
    const auto surely = test::double_hit(triangle, ray, -1e-4), maybe = test::double_hit(triangle, ray, 1e-4);
    EXPECT_FALSE(!is && surely && *surely > 1e-4) << i;
    EXPECT_FALSE(is && (!maybe || *maybe < -1e-4)) << i;
    const double height = 0.01;  // triangles not seen nearly edge-on
    const glm::dvec3 normal = glm::cross(glm::dvec3(triangle.b - triangle.a), glm::dvec3(triangle.c - triangle.a));
    if (is && maybe && std::abs(glm::dot(normal, glm::dvec3(ray.direction))) > height) {
      EXPECT_NEAR(hit.t, *maybe, 1e-4) << i;
    }
  }
  EXPECT_GT(hit_count, 500u);
}

// Rays from inside a closed mesh at its edges and vertices: each must hit something.
void expect_watertight(const Mesh& mesh, const vec3& scale, u32 rays_per_triangle) {
  RayMaker make(7);
  std::vector<vec3> positions;
  for (const vec3& p : mesh.positions) positions.push_back(p * scale);
  std::vector<Triangle> triangles;
  for (const uvec3& t : mesh.triangles) triangles.push_back({positions[t.x], positions[t.y], positions[t.z]});
  for (u32 i = 0; i < triangles.size(); ++i) {
    for (u32 k = 0; k < rays_per_triangle; ++k) {
      const Triangle& at = triangles[i];
      const float x = k % 4 == 0 ? 0.0f : make.uniform(0, 1);
      const vec3 origin = k % 3 == 0 ? vec3(0) : make.point(-0.3f, 0.3f) * scale;
      const Ray ray{origin, 0, at.a + (at.b - at.a) * x - origin, infinity};
      const RayShear shear = make_shear(ray);
      TriangleHit hit;
      bool is = false;
      for (u32 j = 0; j < triangles.size() && !is; ++j) {
        is = intersect_triangle(shear, triangles[j], 0, infinity, hit);
      }
      ASSERT_TRUE(is) << "slipped through triangle " << i << ": " << test::text(ray);
    }
  }
}

TEST(Triangle, ClosedSphereIsWatertight) {
  expect_watertight(generate_sphere(2), vec3(1), 16);
}

TEST(Triangle, ClosedSphereIsWatertightWhenFlattened) {
  expect_watertight(generate_sphere(2), vec3(1, 1e-4f, 30), 8);
}

TEST(Ray, ThatIsNotOneHitsNothing) {
  const Ray good{vec3(0), 0, vec3(0, 0, 1), infinity};
  EXPECT_TRUE(is_traceable(good));
  for (float bad : {nan, infinity, -infinity}) {
    for (int axis = 0; axis < 3; ++axis) {
      Ray ray = good;
      ray.origin[axis] = bad;
      EXPECT_FALSE(is_traceable(ray));
      ray = good;
      ray.direction[axis] = bad;
      EXPECT_FALSE(is_traceable(ray));
    }
  }
  EXPECT_FALSE(is_traceable({vec3(0), nan, vec3(0, 0, 1), 1}));
  EXPECT_FALSE(is_traceable({vec3(0), 0, vec3(0, 0, 1), nan}));
  EXPECT_FALSE(is_traceable({vec3(0), 1, vec3(0, 0, 1), 0.5f}));
  EXPECT_FALSE(is_traceable({vec3(0), 0, vec3(0.0f, -0.0f, 0.0f), 1}));
  EXPECT_TRUE(is_traceable({vec3(0), 0, vec3(0, 0, min_denormal), 1}));
}

}  // namespace
}  // namespace copse
