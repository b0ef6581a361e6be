// Ear clipping: Meisters, "Polygons have ears", American Mathematical Monthly, 1975. The polygon is projected
// along the axis nearest to its normal.

#include "builders/io/mesh/polygon.h"

#include <cmath>

namespace copse::detail {

namespace {

/// With fewer corners, looking at all of them is faster than finding those that are near.
constexpr size_t min_cell_corners = 32;

uvec3* append_fan(std::span<const u32> corners, uvec3* triangles) {
  for (size_t i = 2; i < corners.size(); ++i) *triangles++ = {corners[0], corners[i - 1], corners[i]};
  return triangles;
}

}  // namespace

uvec3* PolygonCutter::cut(std::span<const vec3> positions, std::span<const u32> corners, uvec3* triangles) {
  if (corners.size() == 3 || corners.size() > max_ear_corners) return append_fan(corners, triangles);
  flatten(positions, corners);
  return is_convex() ? append_fan(corners, triangles) : cut_ears(corners, triangles);
}

/// Sets flat_ to the polygon in the plane where it is largest, so that it turns to the left.
void PolygonCutter::flatten(std::span<const vec3> positions, std::span<const u32> corners) {
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
  flat_.clear();
  for (const u32 corner : corners) flat_.push_back({positions[corner][x], side * positions[corner][y]});
}

bool PolygonCutter::is_convex() const {
  const size_t n = flat_.size();
  for (size_t i = 0; i + 2 < n; ++i) {
    if (turn(flat_[i], flat_[i + 1], flat_[i + 2]) < 0) return false;
  }
  return !(turn(flat_[n - 2], flat_[n - 1], flat_[0]) < 0) && !(turn(flat_[n - 1], flat_[0], flat_[1]) < 0);
}

uvec3* PolygonCutter::cut_ears(std::span<const u32> corners, uvec3* triangles) {
  const u32 n = u32(corners.size());
  before_.resize(n);
  after_.resize(n);
  is_ear_.resize(n);
  for (u32 i = 0; i < n; ++i) {
    before_[i] = i == 0 ? n - 1 : i - 1;
    after_[i] = i + 1 == n ? 0 : i + 1;
  }
  uses_cells_ = n >= min_cell_corners;
  if (uses_cells_) cells_.set(flat_);
  for (u32 i = 0; i < n; ++i) is_ear_[i] = find_ear(i);

  u32 tip = 0;
  for (u32 left = n; left > 2; --left) {
    // A polygon that crosses itself may have no ear; then any corner is cut off.
    for (u32 seen = 0; seen < left && !is_ear_[tip]; ++seen) tip = after_[tip];
    const u32 from = before_[tip], to = after_[tip];
    *triangles++ = {corners[from], corners[tip], corners[to]};
    after_[from] = to;
    before_[to] = from;
    if (uses_cells_) cells_.erase(tip);
    is_ear_[from] = find_ear(from);
    is_ear_[to] = find_ear(to);
    // Go on at the corner after the next one, so that the triangles do not all share a corner.
    tip = after_[to];
  }
  return triangles;
}

/// True if the corner turns to the left and no other corner that is left is in its triangle.
bool PolygonCutter::find_ear(u32 tip) const {
  const Triangle2 ear = {flat_[before_[tip]], flat_[tip], flat_[after_[tip]]};
  if (turn(ear.a, ear.b, ear.c) <= 0) return false;
  if (uses_cells_) return !cells_.has_point_in(ear);
  for (u32 i = after_[after_[tip]]; i != before_[tip]; i = after_[i]) {
    if (is_in(ear, flat_[i])) return false;
  }
  return true;
}

}  // namespace copse::detail
