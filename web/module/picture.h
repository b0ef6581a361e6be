#pragma once

#include <span>
#include <vector>

#include "copse/c.h"

// Rays through pixels, and the colours of what they hit and visit.

namespace copse::web {

struct Vector {
  float x = 0, y = 0, z = 0;
};

inline Vector operator+(const Vector& a, const Vector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vector operator-(const Vector& a, const Vector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vector operator*(const Vector& v, float s) {
  return {v.x * s, v.y * s, v.z * s};
}
inline float dot(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vector vector_of(const float* numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

/// The corners of a triangle.
struct Corners {
  Vector a, b, c;
};

/// A camera as the page has it: the middle of the picture, and from there to its right and upper edge.
struct Camera {
  Vector eye, forward, right, up;
};

/// Red, green, blue and alpha of a picture, row by row.
using Pixels = std::vector<uint8_t>;

/// Returns the ray through a pixel of a picture.
copse_ray camera_ray(const Camera& camera, uint32_t x, uint32_t y, uint32_t width, uint32_t height);

/// Returns the rays through the pixels of a picture, row by row.
std::vector<copse_ray> camera_rays(const Camera& camera, uint32_t width, uint32_t height);

/// Returns the corners of a triangle of a mesh.
Corners corners_of(const copse_geometry& mesh, uint32_t triangle);

/// Returns the picture of hits: a lamp at the eye, and a touch of each normal's direction. Where no triangle is hit,
/// the picture is transparent.
Pixels surface_picture(const copse_geometry& mesh, std::span<const copse_ray> rays,
                       std::span<const copse_hit> hits);

/// Returns the picture of visits: for each pixel, how many nodes and triangles its ray visits in the tree. The 99th
/// percentile of the rays that visit anything is the hottest colour.
///   max_visits: becomes that number
Pixels heat_picture(std::span<const copse_visits> visits, uint32_t& max_visits);

}  // namespace copse::web
