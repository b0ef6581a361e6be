#pragma once

#include <span>
#include <vector>

#include "builders/geometry/aabb.h"

namespace copse::detail {

/// The largest number of corners of a concave polygon that is cut by its ears. The work grows with its square.
inline constexpr size_t max_ear_corners = 1024;

/// Appends the corners.size() - 2 triangles of a polygon of 3 or more corners, with the orientation of the
/// polygon. A convex polygon becomes a fan around its first corner; a concave one is cut by its ears. A polygon
/// that crosses itself, has no area, or is concave with more than max_ear_corners corners gets as many triangles,
/// which may overlap.
///   corners: indices below positions.size()
void append_polygon(std::span<const vec3> positions, std::span<const u32> corners, std::vector<uvec3>& triangles);

}  // namespace copse::detail
