#pragma once

// Slow and obvious answers, and the rays for which they are computed.

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "builders/geometry/mesh.h"
#include "tests/support/host_bvh.h"
#include "trace/traverse.h"

namespace copse::test {

/// The masks of the views in tests of masks: one bit, two, none and all.
inline constexpr u32 masks_of_views[] = {0b0001, 0b0110, 0, ~u32{0}};

/// The closest hit by testing every triangle of every view.
Hit brute_force_hit(const std::vector<TriangleView>& views, const Ray& ray);
std::vector<Hit> brute_force_hits(const std::vector<TriangleView>& views, const std::vector<Ray>& rays);

/// t of the plane's hit inside a triangle, in double precision by Cramer's rule. None if the ray misses by more
/// than `slack`, in barycentric units, or sees the triangle edge-on.
inline std::optional<double> double_hit(const Triangle& triangle, const Ray& ray, double slack) {
  using glm::dvec3;
  const dvec3 a(triangle.a), ab = dvec3(triangle.b) - a, ac = dvec3(triangle.c) - a, d(ray.direction);
  const dvec3 p = glm::cross(d, ac), s = dvec3(ray.origin) - a, q = glm::cross(s, ab);
  const double det = glm::dot(ab, p);
  if (det == 0) return std::nullopt;
  const double u = glm::dot(s, p) / det, v = glm::dot(d, q) / det;
  if (u < -slack || v < -slack || u + v > 1 + slack) return std::nullopt;
  return glm::dot(ac, q) / det;
}

inline bool same_bits(const Hit& a, const Hit& b) {
  return bits_of(a.t) == bits_of(b.t) && a.primitive == b.primitive && a.geometry == b.geometry &&
         bits_of(a.u) == bits_of(b.u) && bits_of(a.v) == bits_of(b.v);
}

inline std::string text(const Ray& ray) {
  const auto point = [](const vec3& p) {
    return "(" + std::to_string(p.x) + ", " + std::to_string(p.y) + ", " + std::to_string(p.z) + ")";
  };
  return point(ray.origin) + " + t " + point(ray.direction) + ", t in [" + std::to_string(ray.t_min) + ", " +
         std::to_string(ray.t_max) + "]";
}

inline std::string text(const Hit& hit) {
  return "t " + std::to_string(hit.t) + " primitive " + std::to_string(i32(hit.primitive)) + " geometry " +
         std::to_string(i32(hit.geometry));
}

class RayMaker {
 public:
  explicit RayMaker(u32 seed) : random_(seed) {}

  float uniform(float lo, float hi) { return std::uniform_real_distribution<float>(lo, hi)(random_); }
  vec3 point(float lo, float hi) {
    const float x = uniform(lo, hi), y = uniform(lo, hi), z = uniform(lo, hi);
    return vec3(x, y, z);
  }
  u32 below(u32 n) { return std::uniform_int_distribution<u32>(0, n - 1)(random_); }

  /// A ray at a point of the box, from its surroundings. Rays see a flat box from outside its plane too.
  Ray into(const Aabb& box) {
    const vec3 size = box.hi - box.lo;
    const vec3 around(std::max({size.x, size.y, size.z}));
    const vec3 origin = centroid(box) + around * point(-1.5f, 1.5f);
    return {origin, 0, box.lo + size * point(0, 1) - origin, infinity};
  }

 private:
  std::mt19937 random_;
};

/// A ray, spoilt in every way in which it hits nothing.
inline std::vector<Ray> rays_that_are_none(const Ray& good) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Ray> rays;
  for (float bad : {nan, infinity, -infinity}) {
    for (int axis = 0; axis < 3; ++axis) {
      rays.insert(rays.end(), 2, good);
      rays[rays.size() - 1].origin[axis] = bad;
      rays[rays.size() - 2].direction[axis] = bad;
    }
  }
  rays.insert(rays.end(), 5, good);
  rays[rays.size() - 1].direction = vec3(0);
  rays[rays.size() - 2].t_min = nan;
  rays[rays.size() - 3].t_max = nan;
  rays[rays.size() - 4].t_min = infinity;
  rays[rays.size() - 5].t_max = -infinity;
  return rays;
}

/// Rays that are difficult: random, along axes, from and within the planes of vertices, through vertices and
/// edges, with zero, negative zero and denormal components, with intervals.
inline std::vector<Ray> difficult_rays(const Mesh& mesh, u32 count, u32 seed) {
  RayMaker make(seed);
  const Aabb box = bounds(mesh);
  std::vector<Ray> rays;
  const auto vertex = [&] { return mesh.positions[make.below(u32(mesh.positions.size()))]; };
  for (u32 i = 0; i < count; ++i) {
    Ray ray = make.into(box);
    const int axis = int(make.below(3));
    switch (i % 8) {
      case 1:  // along an axis
        ray.direction = vec3(0);
        ray.direction[axis] = make.below(2) ? 1.0f : -1.0f;
        break;
      case 2:  // within a plane through a vertex, where boxes have their faces
        ray.direction[axis] = make.below(2) ? 0.0f : -0.0f;
        ray.origin[axis] = vertex()[axis];
        break;
      case 3:  // along an axis through a vertex
        ray.origin = vertex();
        ray.direction = vec3(-0.0f);
        ray.direction[axis] = make.below(2) ? 1.0f : -1.0f;
        ray.origin[axis] -= ray.direction[axis] * 10;
        break;
      case 4:  // from a vertex
        ray.origin = vertex();
        break;
      case 5:  // at a vertex
        ray.direction = vertex() - ray.origin;
        break;
      case 6:  // a denormal component
        ray.direction[axis] = make.below(2) ? 1e-40f : -1e-44f;
        break;
      case 7:  // an interval, also behind the origin
        ray.t_min = make.uniform(-2, 1);
        ray.t_max = ray.t_min + make.uniform(0, 1);
        break;
      default: break;
    }
    rays.push_back(ray);
  }
  return rays;
}

}  // namespace copse::test
