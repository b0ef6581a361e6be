#pragma once

// Rays and triangles whose coordinates along the three axes are of quite different sizes, up to the ends of float. Products
// underflow, so that the triangle test is off by more than its roundings.

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/trace/oracle.h"

namespace copse::test {

/// Exponents of the smallest and the largest coordinates: all floats, those up to 1, and those whose squares are finite.
inline constexpr float uneven_exponents[][2] = {{-149, 127}, {-149, 0}, {-60, 60}};

class UnevenMaker {
 public:
  /// The coordinates along each axis have a largest exponent of their own, between these two.
  UnevenMaker(u32 seed, const float (&exponents)[2]) : make_(seed), lowest_(exponents[0]), highest_(exponents[1]) {
    choose_sizes();
  }

  /// New sizes along the axes, for triangles and rays from here on.
  void choose_sizes() {
    for (int axis = 0; axis < 3; ++axis) {
      size_[axis] = make_.uniform(lowest_, highest_);
      origin_size_[axis] = make_.below(2) ? size_[axis] : make_.uniform(lowest_, highest_);
      spread_[axis] = make_.below(2) ? 0.0f : make_.uniform(0, make_.below(2) ? 20.0f : 140.0f);
    }
  }

  /// One in three has an edge or all of itself in a plane across an axis.
  Triangle triangle() {
    Triangle triangle{point(size_), point(size_), point(size_)};
    if (make_.below(3) == 0) {
      const int axis = int(make_.below(3));
      triangle.b[axis] = triangle.a[axis];
      if (make_.below(2)) triangle.c[axis] = triangle.a[axis];
    }
    return triangle;
  }

  /// A ray at a point of a triangle or at a corner, some with other components, any length, or any direction.
  Ray at(const Triangle& to) {
    vec3 origin = point(origin_size_);
    for (u32 k = make_.below(4); k < 2; ++k) {
      const int axis = int(make_.below(3));
      origin[axis] = to.a[axis];
    }
    const double x = make_.below(3) ? make_.uniform(0, 1) : 0.0,
                 y = make_.below(3) ? make_.uniform(0, 1) * (1 - x) : 0.0;
    vec3 direction;
    for (int axis = 0; axis < 3; ++axis) {
      const double a = to.a[axis], b = to.b[axis], c = to.c[axis];
      direction[axis] = float(a + x * (b - a) + y * (c - a) - origin[axis]);
    }
    const u32 kind = make_.below(4);
    const double factor = std::exp2(double(make_.uniform(-100, 100)));
    for (int axis = 0; axis < 3; ++axis) {
      if (kind == 0) direction[axis] = float(direction[axis] * factor);
      if (kind == 1 && make_.below(2)) direction[axis] = number(-150, exponent(direction[axis]));
      if (kind == 2) direction[axis] = number(-150, 127);
    }
    return {origin, make_.below(3) ? 0.0f : -infinity, direction, infinity};
  }

 private:
  static float exponent(float x) { return std::min(127.0f, std::log2(std::fabs(x) + 1e-45f)); }

  /// Of either sign, at most 2^highest; one in eight is zero.
  float number(float lowest, float highest) {
    const float sign = make_.below(2) ? 1.0f : -1.0f;
    return make_.below(8) == 0 ? 0.0f * sign : sign * float(std::exp2(double(make_.uniform(lowest, highest))));
  }

  vec3 point(const vec3& size) {
    vec3 p;
    for (int axis = 0; axis < 3; ++axis)
      p[axis] = number(std::max(-150.0f, size[axis] - spread_[axis]), size[axis]);
    return p;
  }

  RayMaker make_;
  float lowest_, highest_;
  vec3 size_, origin_size_, spread_;  // binary logarithms
};

/// A few triangles of like sizes, and rays at them.
struct UnevenScene {
  Mesh mesh;
  std::vector<Ray> rays;

  explicit UnevenScene(u32 seed) {
    UnevenMaker uneven(seed, uneven_exponents[seed % 3]);
    std::vector<Triangle> triangles;
    for (u32 i = 0; i < 24; ++i) {
      triangles.push_back(uneven.triangle());
      for (const vec3& p : {triangles[i].a, triangles[i].b, triangles[i].c}) mesh.positions.push_back(p);
      mesh.triangles.push_back(uvec3(3 * i, 3 * i + 1, 3 * i + 2));
    }
    for (u32 i = 0; i < 96; ++i) rays.push_back(uneven.at(triangles[i % 24]));
  }
};

}  // namespace copse::test
