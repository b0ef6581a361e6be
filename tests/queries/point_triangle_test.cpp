#include "builders/geometry/point_triangle.h"

#include <gtest/gtest.h>

#include "tests/queries/query_oracle.h"

namespace copse {
namespace {

using test::double_distance;
using test::RayMaker;

Triangle scaled(const Triangle& t, float scale) {
  return {t.a * scale, t.b * scale, t.c * scale};
}

/// Returns how far the nearest point may be off. Let r be 2^-24, R the distance to the farthest corner, and s the sine of the
/// angle at a. The normal is off by 6 r |ab| |ac|, and the two weights by 15 r R / s in all. Edges are at most 2 R long. So the
/// point is off by 32 r R / s at most. Where s is below 2^-7, the work is done in double precision. Roundings seldom add up:
/// the worst of ten million triangles was off by 2.6 r R / s. The test allows 4.
double slack_of(const Triangle& triangle, const vec3& from) {
  using glm::dvec3;
  const dvec3 p(from), a = dvec3(triangle.a) - p, b = dvec3(triangle.b) - p, c = dvec3(triangle.c) - p;
  const double reach = std::max({glm::length(a), glm::length(b), glm::length(c)});
  const double edges = glm::length(b - a) * glm::length(c - a);
  const double sine = edges > 0 ? glm::length(glm::cross(b - a, c - a)) / edges : 0;
  return 4 * 0x1p-24 * reach / (sine >= 0x1p-7 ? sine : 1);
}

/// Checks that the nearest point is as far as it should be, and that its weights give it.
void expect_right(const Triangle& triangle, const vec3& from) {
  const TrianglePoint got = nearest_on_triangle(triangle, from);
  const double expected = double_distance(triangle, from), slack = slack_of(triangle, from);
  ASSERT_NEAR(std::sqrt(double(got.square)), expected, slack);
  ASSERT_GE(got.u, 0);
  ASSERT_GE(got.v, 0);
  ASSERT_LE(got.u + got.v, 1 + 1e-6f);
  using glm::dvec3;
  const dvec3 weighted = dvec3(triangle.a) * (1.0 - double(got.u) - double(got.v)) +
                         dvec3(triangle.b) * double(got.u) + dvec3(triangle.c) * double(got.v) - dvec3(from);
  ASSERT_LE(glm::length(weighted - dvec3(got.offset)), slack);
}

TEST(PointTriangle, DistancesAreThoseOfDoublePrecision) {
  RayMaker make(1);
  for (int i = 0; i < 50000; ++i) {
    const Triangle triangle{make.point(-1, 1), make.point(-1, 1), make.point(-1, 1)};
    expect_right(triangle, make.point(-2, 2));
  }
}

TEST(PointTriangle, SmallTrianglesFarAwayAreMetInTheirPlane) {
  RayMaker make(2);
  for (int i = 0; i < 20000; ++i) {
    const float size = 1e-3f;
    const vec3 middle = make.point(-1, 1);
    const Triangle triangle{middle + size * make.point(-1, 1), middle + size * make.point(-1, 1),
                            middle + size * make.point(-1, 1)};
    expect_right(triangle, make.point(-2, 2));
  }
}

TEST(PointTriangle, NeedlesAndTrianglesWithoutAreaAreMetAsWell) {
  RayMaker make(3);
  for (int i = 0; i < 20000; ++i) {
    const vec3 a = make.point(-1, 1), b = make.point(-1, 1);
    const float width = std::pow(10.0f, make.uniform(-9, 0)), part = make.uniform(-0.5f, 1.5f);
    const vec3 thin = a + (b - a) * part + width * make.point(-1, 1);
    expect_right({a, b, thin}, make.point(-2, 2));
    expect_right({b, thin, a}, a + (b - a) * 0.4f + width * make.point(-1, 1));
    expect_right({a, b, a}, make.point(-2, 2));
    expect_right({a, a, a}, make.point(-2, 2));
  }
}

TEST(PointTriangle, ScaleDoesNotMatter) {
  RayMaker make(4);
  for (float scale : {1e-12f, 1e-6f, 1e6f, 1e12f}) {
    for (int i = 0; i < 5000; ++i) {
      const Triangle triangle{make.point(-1, 1), make.point(-1, 1), make.point(-1, 1)};
      expect_right(scaled(triangle, scale), make.point(-2, 2) * scale);
    }
  }
}

TEST(PointTriangle, PointsOfTheTriangleAreAtItself) {
  const Triangle triangle{vec3(0), vec3(4, 0, 0), vec3(0, 4, 0)};
  for (const vec3& p : {vec3(0), vec3(4, 0, 0), vec3(0, 4, 0), vec3(2, 0, 0), vec3(1, 1, 0), vec3(2, 2, 0)}) {
    const TrianglePoint got = nearest_on_triangle(triangle, p);
    EXPECT_EQ(got.square, 0);
    EXPECT_EQ(got.u, p.x / 4);
    EXPECT_EQ(got.v, p.y / 4);
  }
  EXPECT_EQ(nearest_on_triangle(triangle, vec3(1, 1, 3)).square, 9);
  EXPECT_EQ(nearest_on_triangle(triangle, vec3(-3, -4, 0)).square, 25);
}

/// No box is farther than the triangle in it, to the last bit. So a search may skip boxes.
TEST(PointTriangle, NoBoxIsFartherThanWhatIsInIt) {
  RayMaker make(5);
  for (float scale : {1e-30f, 1e-10f, 1.0f, 1e10f, 1e18f, 1e37f}) {
    for (int i = 0; i < 20000; ++i) {
      const float size = std::pow(10.0f, make.uniform(-6, 0));
      const vec3 middle = make.point(-1, 1);
      const Triangle triangle = scaled({middle + size * make.point(-1, 1), middle + size * make.point(-1, 1),
                                        middle + size * make.point(-1, 1)},
                                       scale);
      const Aabb box = bounds(triangle);
      const Aabb larger = merge(box, {box.lo - make.point(0, 1) * scale, box.hi + make.point(0, 1) * scale});
      const vec3 from = make.point(-2, 2) * scale;
      const SquareDistance distance{from};
      const float square = nearest_on_triangle(triangle, from).square;
      ASSERT_LE(distance(box.lo, box.hi), square);
      ASSERT_LE(distance(larger.lo, larger.hi), distance(box.lo, box.hi));
    }
  }
}

TEST(PointTriangle, CoordinatesPastTheRangeOfFloatGiveNoNan) {
  const float most = std::numeric_limits<float>::max();
  const Triangle triangle{vec3(-most), vec3(most, 0, most), vec3(most, -most, 0)};
  for (const vec3& from : {vec3(most), vec3(-most), vec3(0), vec3(most, -most, most)}) {
    const TrianglePoint got = nearest_on_triangle(triangle, from);
    EXPECT_GE(got.square, 0);
    EXPECT_GE(got.u, 0);
    EXPECT_GE(got.v, 0);
  }
}

}  // namespace
}  // namespace copse
