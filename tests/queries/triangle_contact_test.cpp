// Triangles against boxes and against each other.

#include <gtest/gtest.h>
#include <glm/common.hpp>

#include "builders/bvh/measure/triangle_part.h"
#include "tests/queries/query_oracle.h"

namespace copse {
namespace {

using test::RayMaker;

vec3 point_of(const Triangle& t, RayMaker& make) {
  float u = make.uniform(0, 1), v = make.uniform(0, 1);
  if (u + v > 1) u = 1 - u, v = 1 - v;
  return t.a + (t.b - t.a) * u + (t.c - t.a) * v;
}

Triangle random_triangle(RayMaker& make, float size) {
  const vec3 middle = make.point(-1, 1);
  return {middle + size * make.point(-1, 1), middle + size * make.point(-1, 1), middle + size * make.point(-1, 1)};
}

/// Clips the triangle at the faces: another method than separating axes.
TEST(TriangleBox, TouchesWhereAPartOfTheTriangleIsInTheBox) {
  RayMaker make(1);
  u32 touching = 0, apart = 0;
  for (int i = 0; i < 50000; ++i) {
    const Triangle triangle = random_triangle(make, 1);
    const vec3 lo = make.point(-1, 1);
    const Aabb box{lo, lo + make.point(0, 1)};
    const bool expected = detail::area_in_box(triangle, box) > 0;
    ASSERT_EQ(touches(box, triangle), expected) << i;
    (expected ? touching : apart) += 1;
  }
  EXPECT_GT(touching, 3000u);
  EXPECT_GT(apart, 5000u);
}

/// A box with the nearest point in it touches the triangle. A box inside the ball that ends before the triangle
/// does not.
TEST(TriangleBox, AgreesWithTheDistanceOfABoxSample) {
  RayMaker make(2);
  for (int i = 0; i < 5000; ++i) {
    const Triangle triangle = random_triangle(make, 1);
    const vec3 from = make.point(-2, 2);
    const TrianglePoint nearest = nearest_on_triangle(triangle, from);
    const float reach = test::RayMaker(u32(i)).uniform(0.9f, 1.1f);
    const vec3 half = glm::abs(nearest.offset) * reach + vec3(1e-4f) * (reach > 1 ? 1.0f : 0.0f);
    const Aabb box{from - half, from + half};
    ASSERT_TRUE(reach <= 1 || touches(box, triangle));
    const float radius = std::sqrt(nearest.square) * 0.57f;
    ASSERT_FALSE(radius > 1e-3f && touches(Aabb{from - radius, from + radius}, triangle));
  }
}

TEST(TriangleBox, FacesEdgesAndCornersAreInTheBox) {
  const Aabb box{vec3(0), vec3(1)};
  EXPECT_TRUE(touches(box, {vec3(1, 0, 0), vec3(2, 0, 0), vec3(2, 1, 0)}));      // a corner at a corner
  EXPECT_TRUE(touches(box, {vec3(1, -1, -1), vec3(1, 3, -1), vec3(1, -1, 3)}));  // in the plane of a face
  EXPECT_TRUE(touches(box, {vec3(0, 2, 1), vec3(2, 0, 1), vec3(2, 2, 1)}));      // an edge through an edge
  EXPECT_TRUE(touches(box, {vec3(3, 0, 0), vec3(0, 3, 0), vec3(0, 0, 3)}));      // a face at the corner (1, 1, 1)
  EXPECT_FALSE(touches(box, {vec3(3.01f, 0, 0), vec3(0, 3.01f, 0), vec3(0, 0, 3.01f)}));
  EXPECT_FALSE(touches(box, {vec3(0, 2.01f, 1), vec3(2.01f, 0, 1), vec3(2, 2, 1)}));
  EXPECT_TRUE(touches(box, {vec3(-9, -9, 0.5f), vec3(20, -9, 0.5f), vec3(0, 20, 0.5f)}));  // cuts through
}

TEST(TriangleBox, DegenerateShapes) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Triangle triangle{vec3(0), vec3(1, 0, 0), vec3(0, 1, 0)};
  EXPECT_TRUE(touches(Aabb{vec3(0.2f, 0.2f, 0), vec3(0.2f, 0.2f, 0)}, triangle));  // a point
  EXPECT_FALSE(touches(Aabb{vec3(0.7f, 0.7f, 0), vec3(0.7f, 0.7f, 0)}, triangle));
  EXPECT_TRUE(touches(Aabb{vec3(-infinity), vec3(infinity)}, triangle));
  EXPECT_TRUE(touches(Aabb{vec3(0.4f, 0.4f, -infinity), vec3(infinity)}, triangle));
  EXPECT_FALSE(touches(Aabb{vec3(0.6f, 0.6f, -infinity), vec3(infinity)}, triangle));
  EXPECT_FALSE(touches(Aabb{vec3(1), vec3(-1)}, triangle));  // inverted
  EXPECT_FALSE(touches(Aabb{vec3(nan), vec3(1)}, triangle));
  EXPECT_FALSE(touches(Aabb{vec3(-1), vec3(1)}, Triangle{vec3(0), vec3(nan), vec3(1)}));
  EXPECT_TRUE(touches(Aabb{vec3(-1), vec3(1)}, Triangle{vec3(-5), vec3(5), vec3(5)}));  // a segment
  EXPECT_FALSE(touches(Aabb{vec3(-1), vec3(1)}, Triangle{vec3(-5, 0, 0), vec3(0, 5, 0), vec3(0, 5, 0)}));
  EXPECT_TRUE(touches(Aabb{vec3(-1), vec3(1)}, Triangle{vec3(0), vec3(0), vec3(0)}));
}

/// Two triangles touch if an edge of one goes through the other, by signs of volumes in double precision.
bool edge_goes_through(const Triangle& edges, const Triangle& t) {
  using glm::dvec3;
  const auto volume = [](const dvec3& a, const dvec3& b, const dvec3& c, const dvec3& d) {
    return glm::dot(glm::cross(b - a, c - a), d - a);
  };
  const dvec3 a(t.a), b(t.b), c(t.c), corners[3] = {dvec3(edges.a), dvec3(edges.b), dvec3(edges.c)};
  for (int i = 0; i < 3; ++i) {
    const dvec3 p = corners[i], q = corners[(i + 1) % 3];
    if (volume(a, b, c, p) * volume(a, b, c, q) > 0) continue;
    const double u = volume(p, q, a, b), v = volume(p, q, b, c), w = volume(p, q, c, a);
    if ((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)) return true;
  }
  return false;
}

TEST(TriangleTriangle, TouchWhereAnEdgeOfOneGoesThroughTheOther) {
  RayMaker make(3);
  u32 touching = 0;
  for (int i = 0; i < 50000; ++i) {
    const Triangle s = random_triangle(make, 1), t = random_triangle(make, i % 2 == 0 ? 1 : 0.1f);
    const bool expected = edge_goes_through(s, t) || edge_goes_through(t, s);
    ASSERT_EQ(touches(s, t), expected) << i;
    ASSERT_EQ(touches(t, s), expected) << i;
    touching += expected;
  }
  EXPECT_GT(touching, 1500u);
}

TEST(TriangleTriangle, OfOnePlaneTouchWhereTheyShareAPoint) {
  RayMaker make(4);
  u32 touching = 0, apart = 0;
  for (int i = 0; i < 5000; ++i) {
    Triangle s = random_triangle(make, 0.5f), t = random_triangle(make, 0.5f);
    for (vec3* p : {&s.a, &s.b, &s.c, &t.a, &t.b, &t.c}) p->z = 0.25f;
    bool shares = false;
    for (int k = 0; k < 200; ++k) shares |= nearest_on_triangle(t, point_of(s, make)).square < 1e-12f;
    const bool got = touches(s, t);
    ASSERT_TRUE(got || !shares) << i;
    touching += shares;
    apart += !got;
  }
  EXPECT_GT(touching, 400u);
  EXPECT_GT(apart, 400u);
}

TEST(TriangleTriangle, ContactCountsAndSoDoSegments) {
  const Triangle triangle{vec3(0), vec3(1, 0, 0), vec3(0, 1, 0)};
  EXPECT_TRUE(touches(triangle, {vec3(1, 0, 0), vec3(2, 0, 1), vec3(2, 1, 0)}));        // a corner
  EXPECT_TRUE(touches(triangle, {vec3(1, 0, 0), vec3(0, 1, 0), vec3(3, 3, 3)}));        // an edge
  EXPECT_TRUE(touches(triangle, {vec3(0.2f, 0.2f, 0), vec3(0, 0, 1), vec3(1, 0, 1)}));  // a corner on the face
  EXPECT_TRUE(touches(triangle, triangle));
  EXPECT_FALSE(touches(triangle, {vec3(0, 0, 1e-6f), vec3(1, 0, 1e-6f), vec3(0, 1, 1e-6f)}));
  EXPECT_TRUE(touches(triangle, {vec3(0.2f, 0.2f, -1), vec3(0.2f, 0.2f, 1), vec3(0.2f, 0.2f, 1)}));
  EXPECT_FALSE(touches(triangle, {vec3(0.7f, 0.7f, -1), vec3(0.7f, 0.7f, 1), vec3(0.7f, 0.7f, 1)}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(touches(triangle, {vec3(nan), vec3(0), vec3(1)}));
}

}  // namespace
}  // namespace copse
