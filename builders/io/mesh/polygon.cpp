// Ear clipping: Meisters, "Polygons have ears", American Mathematical Monthly, 1975. The polygon is projected
// along the axis nearest to its normal.

#include "builders/io/mesh/polygon.h"

#include <cmath>

namespace copse::detail {

namespace {

struct Point2 {
  double x, y;
};

/// Returns twice the area of a triangle, positive if it turns to the left.
double turn(const Point2& a, const Point2& b, const Point2& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Returns the polygon in the plane where it is largest, so that it turns to the left.
std::vector<Point2> flatten(std::span<const vec3> positions, std::span<const u32> corners) {
  // Newell's normal: twice the signed areas of the three projections.
  double normal[3] = {0, 0, 0};
  for (size_t i = 0; i < corners.size(); ++i) {
    const vec3& p = positions[corners[i]];
    const vec3& q = positions[corners[i + 1 == corners.size() ? 0 : i + 1]];
    normal[0] += (double(p.y) - q.y) * (double(p.z) + q.z);
    normal[1] += (double(p.z) - q.z) * (double(p.x) + q.x);
    normal[2] += (double(p.x) - q.x) * (double(p.y) + q.y);
  }
  int axis = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::fabs(normal[k]) > std::fabs(normal[axis])) axis = k;
  }
  const int x = (axis + 1) % 3, y = (axis + 2) % 3;
  const double side = normal[axis] < 0 ? -1 : 1;
  std::vector<Point2> flat;
  flat.reserve(corners.size());
  for (const u32 corner : corners) flat.push_back({positions[corner][x], side * positions[corner][y]});
  return flat;
}

bool is_convex(const std::vector<Point2>& flat) {
  const size_t n = flat.size();
  for (size_t i = 0; i < n; ++i) {
    if (turn(flat[i], flat[(i + 1) % n], flat[(i + 2) % n]) < 0) return false;
  }
  return true;
}

void append_fan(std::span<const u32> corners, std::vector<uvec3>& triangles) {
  for (size_t i = 2; i < corners.size(); ++i) triangles.push_back({corners[0], corners[i - 1], corners[i]});
}

/// The remaining corners of a polygon, as a ring, and which of them can be cut off.
class EarClipper {
 public:
  explicit EarClipper(const std::vector<Point2>& flat)
      : flat_(flat), before_(flat.size()), after_(flat.size()), is_ear_(flat.size()) {
    const u32 n = u32(flat.size());
    for (u32 i = 0; i < n; ++i) {
      before_[i] = i == 0 ? n - 1 : i - 1;
      after_[i] = i + 1 == n ? 0 : i + 1;
    }
    for (u32 i = 0; i < n; ++i) is_ear_[i] = find_ear(i);
  }

  void append(std::span<const u32> corners, std::vector<uvec3>& triangles) {
    u32 tip = 0;
    for (size_t left = corners.size(); left > 2; --left) {
      // A polygon that crosses itself may have no ear; then any corner is cut off.
      for (size_t seen = 0; seen < left && !is_ear_[tip]; ++seen) tip = after_[tip];
      const u32 from = before_[tip], to = after_[tip];
      triangles.push_back({corners[from], corners[tip], corners[to]});
      after_[from] = to;
      before_[to] = from;
      is_ear_[from] = find_ear(from);
      is_ear_[to] = find_ear(to);
      // Go on at the corner after the next one, so that the triangles do not all share a corner.
      tip = after_[to];
    }
  }

 private:
  bool find_ear(u32 tip) const {
    const Point2 &a = flat_[before_[tip]], &b = flat_[tip], &c = flat_[after_[tip]];
    if (turn(a, b, c) <= 0) return false;
    for (u32 i = after_[after_[tip]]; i != before_[tip]; i = after_[i]) {
      const Point2& p = flat_[i];
      if (is_same(p, a) || is_same(p, b) || is_same(p, c)) continue;
      if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
    }
    return true;
  }
  static bool is_same(const Point2& p, const Point2& q) { return p.x == q.x && p.y == q.y; }

  const std::vector<Point2>& flat_;
  std::vector<u32> before_, after_;
  std::vector<char> is_ear_;
};

}  // namespace

void append_polygon(std::span<const vec3> positions, std::span<const u32> corners, std::vector<uvec3>& triangles) {
  if (corners.size() == 3 || corners.size() > max_ear_corners) return append_fan(corners, triangles);
  const std::vector<Point2> flat = flatten(positions, corners);
  if (is_convex(flat)) return append_fan(corners, triangles);
  EarClipper(flat).append(corners, triangles);
}

}  // namespace copse::detail
