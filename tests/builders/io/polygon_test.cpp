#include "builders/io/mesh/polygon.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace copse::test {
namespace {

std::vector<uvec3> triangulate(const std::vector<vec3>& polygon) {
  std::vector<u32> corners(polygon.size());
  std::iota(corners.begin(), corners.end(), 0u);
  std::vector<uvec3> triangles;
  detail::append_polygon(polygon, corners, triangles);
  return triangles;
}

/// Returns twice the signed area, as seen along -z.
double turn(const vec3& a, const vec3& b, const vec3& c) {
  return (double(b.x) - a.x) * (double(c.y) - a.y) - (double(b.y) - a.y) * (double(c.x) - a.x);
}

/// Triangles with the same orientation whose areas add up to that of the polygon cover it without overlap.
void expect_exact_cover(const std::vector<vec3>& polygon) {
  const std::vector<uvec3> triangles = triangulate(polygon);
  ASSERT_EQ(triangles.size(), polygon.size() - 2);
  double area = 0, covered = 0;
  for (size_t i = 1; i + 1 < polygon.size(); ++i) area += turn(polygon[0], polygon[i], polygon[i + 1]);
  for (const uvec3& t : triangles) {
    const double part = turn(polygon[t.x], polygon[t.y], polygon[t.z]);
    EXPECT_GE(part * area, 0);
    covered += part;
  }
  EXPECT_NEAR(covered, area, 1e-6 * std::fabs(area));
}

std::vector<vec3> star(u32 corner_count, float inner_radius) {
  std::vector<vec3> polygon;
  for (u32 i = 0; i < corner_count; ++i) {
    const float angle = 6.2831853f * float(i) / float(corner_count), radius = i % 2 == 0 ? 1.0f : inner_radius;
    polygon.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
  }
  return polygon;
}

TEST(Polygon, ConvexOnesBecomeFans) {
  EXPECT_EQ(triangulate({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}), (std::vector<uvec3>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(triangulate({{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}}), (std::vector<uvec3>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Polygon, ConcaveQuadsAreCoveredFromAnyCorner) {
  std::vector<vec3> arrow = {{0, 0, 0}, {2, 1, 0}, {0, 2, 0}, {0.5f, 1, 0}};
  for (int k = 0; k < 4; ++k) {
    expect_exact_cover(arrow);
    std::rotate(arrow.begin(), arrow.begin() + 1, arrow.end());
  }
}

TEST(Polygon, ConcaveOnesAreCoveredEitherWayRound) {
  for (const u32 corner_count : {6u, 10u, 64u, 1024u}) {
    std::vector<vec3> polygon = star(corner_count, 0.3f);
    expect_exact_cover(polygon);
    std::reverse(polygon.begin(), polygon.end());
    expect_exact_cover(polygon);
  }
}

TEST(Polygon, PolygonsInAnyPlaneAreCovered) {
  const std::vector<vec3> flat = star(10, 0.4f);
  const std::vector<uvec3> expected = triangulate(flat);
  std::vector<vec3> turned;
  for (const vec3& p : flat) turned.push_back({p.y, 5, p.x});
  EXPECT_EQ(triangulate(turned), expected);
  turned.clear();
  for (const vec3& p : flat) turned.push_back({-3, p.x, p.y});
  EXPECT_EQ(triangulate(turned), expected);
}

TEST(Polygon, DegenerateOnesGiveAsManyTriangles) {
  EXPECT_EQ(triangulate(std::vector<vec3>(7, vec3(1, 2, 3))).size(), 5u);
  EXPECT_EQ(triangulate({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {1, 0, 0}}).size(), 3u);
  EXPECT_EQ(triangulate({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}}).size(), 2u);
  EXPECT_EQ(triangulate(star(detail::max_ear_corners + 2, 0.3f)).size(), detail::max_ear_corners);
  std::mt19937 engine(1);
  std::uniform_int_distribution<int> place(0, 4);
  for (int round = 0; round < 300; ++round) {
    std::vector<vec3> scribble;
    for (int i = 0; i < 4 + round % 12; ++i) scribble.push_back({place(engine), place(engine), place(engine)});
    EXPECT_EQ(triangulate(scribble).size(), scribble.size() - 2);
  }
}

}  // namespace
}  // namespace copse::test
