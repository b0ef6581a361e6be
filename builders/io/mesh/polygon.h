#pragma once

#include <span>
#include <vector>

#include "builders/geometry/aabb.h"
#include "builders/io/mesh/point_cells.h"

namespace copse::detail {

/// The largest number of corners of a concave polygon that is cut by its ears. The time grows with the square of the
/// number for the worst shapes.
inline constexpr size_t max_ear_corners = 1024;

/// Cuts polygons into triangles. It keeps its memory from one polygon to the next.
class PolygonCutter {
 public:
  /// Writes the corners.size() - 2 triangles of a polygon of 3 or more corners, with the orientation of the polygon.
  /// A convex polygon becomes a fan around its first corner; a concave one is cut by its ears. A polygon that crosses
  /// itself, has no area, or is concave with more than max_ear_corners corners gets as many triangles, which may
  /// overlap. Returns the place after the last triangle.
  ///   corners: indices below positions.size()
  uvec3* cut(std::span<const vec3> positions, std::span<const u32> corners, uvec3* triangles);

 private:
  void flatten(std::span<const vec3> positions, std::span<const u32> corners);
  bool is_convex() const;
  uvec3* cut_ears(std::span<const u32> corners, uvec3* triangles);
  bool find_ear(u32 tip) const;

  std::vector<Point2> flat_;
  // The corners that are left, as a ring.
  std::vector<u32> before_, after_;
  std::vector<char> is_ear_;
  PointCells cells_;  // the same corners, if they are many
  bool uses_cells_ = false;
};

}  // namespace copse::detail
