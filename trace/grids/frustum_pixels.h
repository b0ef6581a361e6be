#pragma once

// The pixels with rays that may hit a triangle.

#include "trace/grids/frustum_image.h"

namespace copse::detail {

/// Pixels from lo to hi, both included.
struct alignas(16) PixelRectangle {
  float lo_x, lo_y, hi_x, hi_y;

  COPSE_HD static PixelRectangle everywhere() { return {-infinity, -infinity, infinity, infinity}; }
  COPSE_HD static PixelRectangle nowhere() { return {infinity, infinity, -infinity, -infinity}; }
  COPSE_HD bool has(float x, float y) const { return (lo_x <= x) & (x <= hi_x) & (lo_y <= y) & (y <= hi_y); }
};

/// Projects points to the pixels of a picture, in float.
struct FrustumPixels {
  vec3 x, y, z;  // rows that turn points less the eye into camera coordinates
  float half_width, half_height;
  float margin_x, margin_y;

  /// The margin is 4/256 of a tile, and twice the error of the test on the triangles that around() projects: they
  /// reach past the screen by at most half its half width, and they are at most twice as deep as their nearest
  /// vertex. Float errs by less than that.
  COPSE_HD static FrustumPixels of(const FrustumImage& image) {
    const FrustumShape& frustum = *image.grid.shape.data();
    const double blur = frustum.units_per_length * triangle_test_error * (4.0 * frustum.corner);
    const float tiles = float((2 * blur + 4) / units_per_cell);
    return {vec3(frustum.x),
            vec3(frustum.y),
            vec3(frustum.z),
            0.5f * float(image.width),
            0.5f * float(image.height),
            tiles * float(image.width) / float(image.grid.resolution.x),
            tiles * float(image.height) / float(image.grid.resolution.y)};
  }

  /// The pixels around a triangle. `a`, `b`, `c`: its vertices less the eye.
  COPSE_HD PixelRectangle around(const vec3& a, const vec3& b, const vec3& c) const {
    const float za = dot(z, a), zb = dot(z, b), zc = dot(z, c);
    const float nearest = min_number(za, min_number(zb, zc)), farthest = max_number(za, max_number(zb, zc));
    const bool is_plain = nearest > 1e-30f && farthest < 1e30f && farthest <= 2 * nearest;
    if (!is_plain) return PixelRectangle::everywhere();
    const float xa = dot(x, a) / za, xb = dot(x, b) / zb, xc = dot(x, c) / zc;
    const float ya = dot(y, a) / za, yb = dot(y, b) / zb, yc = dot(y, c) / zc;
    const float left = min_number(xa, min_number(xb, xc)), right = max_number(xa, max_number(xb, xc));
    const float top = min_number(ya, min_number(yb, yc)), bottom = max_number(ya, max_number(yb, yc));
    const bool is_near_screen = left >= -1.5f && right <= 1.5f && top >= -1.5f && bottom <= 1.5f;
    if (!is_near_screen) return PixelRectangle::everywhere();
    return {(left + 1) * half_width - 0.5f - margin_x, (top + 1) * half_height - 0.5f - margin_y,
            (right + 1) * half_width - 0.5f + margin_x, (bottom + 1) * half_height - 0.5f + margin_y};
  }

 private:
  COPSE_HD static float dot(const vec3& a, const vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
};

}  // namespace copse::detail
