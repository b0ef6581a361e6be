#pragma once

// Slow and obvious results of queries beyond rays: they test every primitive. To check arithmetic, they compute in
// double precision by another method.

#include <algorithm>
#include <glm/geometric.hpp>
#include <utility>
#include <vector>

#include "queries/k_nearest.h"
#include "queries/overlap.h"
#include "queries/self_overlap.h"
#include "tests/support/hard_meshes.h"
#include "tests/trace/oracle.h"

namespace copse::test {

/// Triangles of all views with their ids, in order.
inline std::vector<Triangle> all_triangles(const std::vector<TriangleView>& views) {
  std::vector<Triangle> triangles;
  for (const TriangleView& view : views) {
    for (u64 i = 0; i < view.triangle_count(); ++i) triangles.push_back(load_triangle(view, i));
  }
  return triangles;
}

/// Returns the `count` nearest triangles by (square of the distance, id), no farther than the limit.
std::vector<std::pair<float, u32>> brute_force_order(const std::vector<Triangle>& triangles, const vec3& point,
                                                     float max_distance, size_t count = ~size_t{0});

/// The ids of triangles that touch a region, ascending.
template <class Region>
std::vector<u32> brute_force_overlaps(const std::vector<Triangle>& triangles, const Region& region) {
  std::vector<u32> found;
  for (u32 i = 0; i < triangles.size(); ++i) {
    const Aabb box = bounds(triangles[i]);
    if (has_points(region) && !is_empty(box) && touches_box(region, box.lo, box.hi) &&
        touches(region, triangles[i])) {
      found.push_back(i);
    }
  }
  return found;
}

/// Distance from the origin to a segment in double precision.
inline double double_distance(const glm::dvec3& a, const glm::dvec3& b) {
  const glm::dvec3 edge = b - a;
  const double length = glm::dot(edge, edge);
  const double t = length > 0 ? std::clamp(-glm::dot(a, edge) / length, 0.0, 1.0) : 0.0;
  return glm::length(a + edge * t);
}

/// The distance from a point to a triangle in double precision: to its plane if the projection is inside, else to
/// its edges.
inline double double_distance(const Triangle& triangle, const vec3& point) {
  using glm::dvec3;
  const dvec3 p(point), a = dvec3(triangle.a) - p, b = dvec3(triangle.b) - p, c = dvec3(triangle.c) - p;
  const double edges = std::min({double_distance(a, b), double_distance(b, c), double_distance(c, a)});
  const dvec3 normal = glm::cross(b - a, c - a);
  const double length = glm::length(normal);
  if (length == 0) return edges;
  const bool foot_is_inside = glm::dot(normal, glm::cross(b - a, -a)) >= 0 &&
                              glm::dot(normal, glm::cross(c - b, -b)) >= 0 &&
                              glm::dot(normal, glm::cross(a - c, -c)) >= 0;
  return foot_is_inside ? std::min(edges, std::abs(glm::dot(normal, a)) / length) : edges;
}

/// Points that are likely to go wrong: around and in the box, at vertices, on edges and faces, at the middle, far
/// away, not finite.
inline std::vector<vec3> difficult_points(const Mesh& mesh, u32 count, u32 seed) {
  RayMaker make(seed);
  const Aabb box = mesh.triangles.empty() ? Aabb{vec3(0), vec3(1)} : bounds(mesh);
  const vec3 size = box.hi - box.lo;
  std::vector<vec3> points;
  for (u32 i = 0; i < count; ++i) {
    vec3 point = box.lo + size * make.point(-0.1f, 1.1f);
    if (!mesh.triangles.empty()) {
      const uvec3 t = mesh.triangles[make.below(u32(mesh.triangles.size()))];
      const vec3 a = mesh.positions[t.x], b = mesh.positions[t.y], c = mesh.positions[t.z];
      switch (i % 8) {
        case 1: point = a; break;
        case 2: point = a + (b - a) * make.uniform(0, 1); break;
        case 3: point = a + (b - a) * make.uniform(0, 0.5f) + (c - a) * make.uniform(0, 0.5f); break;
        case 4: point = a + (b - a) * 0.3f + size * make.point(-1e-3f, 1e-3f); break;
        case 5: point = centroid(box) + size * make.point(-100, 100); break;
        default: break;
      }
    }
    points.push_back(point);
  }
  return points;
}

}  // namespace copse::test
