#pragma once

// Triangles that rays see so nearly edge-on that rounding alone decides what they look like.

#include <cmath>

#include "tests/trace/oracle.h"
#include "trace/camera.h"

namespace copse::test {

/// A point with each coordinate the same, or up to two floats away.
inline vec3 nearby(RayMaker& make, vec3 p) {
  for (int axis = 0; axis < 3; ++axis) {
    for (u32 steps = make.below(3); steps > 0; --steps) {
      p[axis] = std::nextafter(p[axis], make.below(2) == 0 ? infinity : -infinity);
    }
  }
  return p;
}

/// A sliver in a plane through the ray, give or take two roundings, between `begin` and `end` along the ray.
inline Triangle sliver_along(RayMaker& make, const Ray& ray, float begin, float end) {
  const vec3 aside = make.point(-1, 1) * (make.below(2) == 0 ? 1.0f : 1e-3f);
  const auto corner = [&] {
    const float along = make.uniform(begin, end), across = make.uniform(-1, 1);
    return nearby(make, ray.origin + ray.direction * along + aside * across);
  };
  const vec3 a = corner(), b = corner();
  return {a, b, corner()};
}

/// A sliver in the plane x = y. Rays that start in this plane and go as far along x as along y stay in it. The
/// triangle may begin at another place along z than along x and y.
inline Triangle sliver_in_diagonal(RayMaker& make) {
  const auto corner = [&] {
    const float x = make.uniform(0, 10), z = make.uniform(0, 10);
    return nearby(make, vec3(x, x, z));
  };
  const vec3 a = corner(), b = corner();
  return {a, b, corner()};
}

inline void add_triangle(Mesh& mesh, const Triangle& triangle) {
  const u32 first = u32(mesh.positions.size());
  for (const vec3& p : {triangle.a, triangle.b, triangle.c}) mesh.positions.push_back(p);
  mesh.triangles.push_back(uvec3(first, first + 1, first + 2));
}

/// Slivers along rays of a picture, and triangles between them that they may hide.
struct SliverScene {
  Mesh mesh;
  Camera camera;
  u32 width = 48, height = 40;
  std::vector<Ray> rays;  // those of the picture, and some next to them

  explicit SliverScene(u32 seed) {
    RayMaker make(seed);
    const bool is_diagonal = seed % 2 == 0;
    const float scale = seed % 3 == 0 ? 1.0f : make.uniform(0.001f, 1000);
    const vec3 eye = is_diagonal ? vec3(-1, -1, 0) : make.point(-1, 1) * (seed % 5 == 0 ? 300.0f : 1.0f);
    const vec3 forward = is_diagonal ? vec3(0.3f, 0.3f, 1) : make.point(-1, 1);
    camera = look_at(eye * scale, (eye + forward) * scale, vec3(1, -1, 0.1f), 50, 1.2f);
    for (u32 y = 0; y < height; ++y) {
      for (u32 x = 0; x < width; ++x) rays.push_back(camera_ray(camera, x, y, width, height));
    }
    for (u32 i = 0; i < 240; ++i) add_triangle(mesh, sliver(make, i, is_diagonal, scale));
    for (u32 i = 0; i < 60; ++i) {
      const Ray ray = rays[make.below(width * height)];
      const vec3 at = ray.origin + ray.direction * (make.uniform(0, 9) * scale);
      const auto corner = [&] { return at + make.point(-3, 3) * scale; };
      const vec3 a = corner(), b = corner();
      add_triangle(mesh, {a, b, corner()});
    }
  }

 private:
  /// Adds a sliver along a ray, and other rays: the neighbours of the ray, and the same from behind.
  Triangle sliver(RayMaker& make, u32 i, bool is_diagonal, float scale) {
    if (is_diagonal && i % 2 == 0) {
      const Ray middle{vec3(-1, -1, 0) * scale, 0, vec3(0.3f, 0.3f, 1), infinity};
      for (u32 k = 0; k < 2; ++k) rays.push_back({middle.origin, 0, nearby(make, middle.direction), infinity});
      const Triangle t = sliver_in_diagonal(make);
      return {t.a * scale, t.b * scale, t.c * scale};
    }
    const Ray ray = rays[make.below(width * height)];
    const Triangle triangle = sliver_along(make, ray, -1 * scale, 10 * scale);
    rays.push_back({nearby(make, ray.origin), i % 4 == 0 ? -infinity : 0, nearby(make, ray.direction), infinity});
    return triangle;
  }
};

}  // namespace copse::test
