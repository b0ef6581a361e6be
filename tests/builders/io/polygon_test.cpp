#include "builders/io/mesh/polygon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>
#include <random>

namespace copse::test {
namespace {

/// Cuts with a cutter that has seen other polygons before.
std::vector<uvec3> triangulate(const std::vector<vec3>& polygon) {
  static detail::PolygonCutter cutter;
  std::vector<u32> corners(polygon.size());
  std::iota(corners.begin(), corners.end(), 0u);
  std::vector<uvec3> triangles(polygon.size() - 2);
  EXPECT_EQ(cutter.cut(polygon, corners, triangles.data()), triangles.data() + triangles.size());
  return triangles;
}

/// Ear clipping in the plane z = 0 that looks at every corner for every ear, as slow as it is plain.
class SlowEarClipper {
 public:
  explicit SlowEarClipper(const std::vector<vec3>& polygon) : polygon_(polygon) {
    for (u32 i = 0; i < polygon.size(); ++i) ring_.push_back(i);
    for (u32 i = 0; i < polygon.size(); ++i) is_ear_.push_back(find_ear(i));
  }

  std::vector<uvec3> cut() {
    std::vector<uvec3> triangles;
    for (size_t at = 0; ring_.size() > 2;) {
      for (size_t seen = 0; seen < ring_.size() && !is_ear_[ring_[at]]; ++seen) at = next(at);
      const size_t from = (at + ring_.size() - 1) % ring_.size();
      triangles.push_back({ring_[from], ring_[at], ring_[next(at)]});
      const u32 changed[] = {ring_[from], ring_[next(at)]};
      ring_.erase(ring_.begin() + long(at));
      for (const u32 corner : changed) {
        is_ear_[corner] = find_ear(size_t(std::find(ring_.begin(), ring_.end(), corner) - ring_.begin()));
      }
      // `at` is the corner behind the one that was cut off; go on at the corner after it.
      at = next(at % ring_.size());
    }
    return triangles;
  }

 private:
  size_t next(size_t at) const { return (at + 1) % ring_.size(); }

  bool find_ear(size_t at) const {
    const vec3 &a = polygon_[ring_[(at + ring_.size() - 1) % ring_.size()]], &b = polygon_[ring_[at]],
               &c = polygon_[ring_[next(at)]];
    if (turn(a, b, c) <= 0) return false;
    for (const u32 corner : ring_) {
      const vec3& p = polygon_[corner];
      if (p == a || p == b || p == c) continue;
      if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
    }
    return true;
  }

  /// Returns twice the signed area, as seen along -z.
  static double turn(const vec3& a, const vec3& b, const vec3& c) {
    return (double(b.x) - a.x) * (double(c.y) - a.y) - (double(b.y) - a.y) * (double(c.x) - a.x);
  }

  const std::vector<vec3>& polygon_;
  std::vector<u32> ring_;  // the corners that are left
  std::vector<bool> is_ear_;
};

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

/// A comb of thin teeth, turned by an angle, so that its ears are long and slanted.
std::vector<vec3> comb(u32 tooth_count, float angle) {
  std::vector<vec3> upright = {{float(tooth_count), -1, 0}, {float(tooth_count), 0, 0}};
  for (u32 i = tooth_count; i-- > 0;) {
    upright.push_back({float(i) + 0.5f, float(tooth_count), 0});
    upright.push_back({float(i), 0, 0});
  }
  upright.push_back({0, -1, 0});
  const float c = std::cos(angle), s = std::sin(angle);
  std::vector<vec3> turned;
  for (const vec3& p : upright) turned.push_back({c * p.x - s * p.y, s * p.x + c * p.y, 0});
  return turned;
}

std::vector<vec3> spiral(u32 corner_count) {
  std::vector<vec3> polygon;
  for (u32 i = 0; i < corner_count; ++i) {
    const u32 step = i < corner_count / 2 ? i : corner_count - 1 - i;
    const float angle = 0.04f * float(step), radius = (i < corner_count / 2 ? 1.0f : 0.8f) * angle + 0.1f;
    polygon.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
  }
  return polygon;
}

/// Looking only at near corners changes no triangle.
TEST(Polygon, LargeOnesAreCutAsIfAllCornersWereSeen) {
  std::vector<std::vector<vec3>> polygons = {star(64, 0.3f), star(1024, 0.3f), star(1024, 0.99f), spiral(900)};
  for (const float angle : {0.0f, 0.3f, 0.785f, 1.571f}) polygons.push_back(comb(500, angle));
  std::mt19937 engine(1);
  std::uniform_real_distribution<float> radius(0.1f, 1.0f);
  for (u32 round = 0; round < 40; ++round) {
    std::vector<vec3> polygon = star(33 + 7 * round, 1);
    for (vec3& p : polygon) p *= radius(engine);
    // Coarse places give corners that coincide, or stand in a line.
    if (round % 2 == 1) {
      for (vec3& p : polygon) p = vec3(std::round(p.x * 8), std::round(p.y * 8), 0);
    }
    polygons.push_back(polygon);
  }
  for (const std::vector<vec3>& polygon : polygons) {
    SCOPED_TRACE(testing::PrintToString(polygon.size()));
    EXPECT_EQ(triangulate(polygon), SlowEarClipper(polygon).cut());
  }
}

/// Returns the processor time in seconds that cutting 32 * 1024 corners takes: the least of five times.
double seconds_to_cut(const std::vector<vec3>& polygon) {
  double least = 1e9;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t begin = std::clock();
    for (size_t corners = 0; corners < 32 * 1024; corners += polygon.size()) triangulate(polygon);
    least = std::min(least, double(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

/// Looking at all corners for every ear would take 16 times as long for 16 times the corners.
TEST(Polygon, CornersOfLargeOnesCostAsMuchAsThoseOfSmallOnes) {
  EXPECT_LT(seconds_to_cut(star(1024, 0.3f)), 6 * seconds_to_cut(star(64, 0.3f)));
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
