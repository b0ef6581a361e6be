#pragma once

#include <algorithm>
#include <glm/geometric.hpp>
#include <span>
#include <vector>

#include "builders/geometry/image.h"
#include "builders/geometry/triangle_table.h"
#include "trace/camera.h"
#include "trace/heat_colour.h"
#include "trace/shade_colour.h"
#include "trace/traverse.h"

namespace copse::web {

/// Returns the rays through the pixels of a picture, row by row.
inline std::vector<Ray> camera_rays(const Camera& camera, u32 width, u32 height) {
  std::vector<Ray> rays(size_t(width) * height);
  for (u32 y = 0; y < height; ++y) {
    for (u32 x = 0; x < width; ++x) rays[size_t(y) * width + x] = camera_ray(camera, x, y, width, height);
  }
  return rays;
}

/// Returns the picture of hits: a lamp at the eye, and a touch of each normal's direction. Where no triangle is hit,
/// the picture is transparent.
inline Image surface_picture(const TriangleView& triangles, std::span<const Ray> rays, std::span<const Hit> hits,
                             u32 width, u32 height) {
  Image image{width, height, std::vector<Rgba8>(rays.size())};
  for (size_t i = 0; i < rays.size(); ++i) {
    if (!is_hit(hits[i])) continue;
    const Triangle corners = load_triangle(triangles, hits[i].primitive);
    const vec3 across = glm::cross(corners.b - corners.a, corners.c - corners.a);
    const float length = glm::length(across);
    const vec3 normal = length > 0 ? across / length : -rays[i].direction;
    const float cosine = glm::dot(normal, rays[i].direction);
    image.pixels[i] =
        detail::to_rgba(detail::headlight(cosine) * detail::normal_tint(cosine > 0 ? -normal : normal));
  }
  return image;
}

/// Returns the picture of visits: for each pixel, how many nodes and triangles its ray visits in the tree, on the scale
/// of heat_scale. The 99th percentile of the rays that visit anything is the hottest colour.
///   max_visits: becomes that number
template <class View>
Image heat_picture(const View& tree, const TriangleView& triangles, const Camera& camera, u32 width, u32 height,
                   u32& max_visits) {
  const TriangleTable table = TriangleTable::of(triangles);
  std::vector<u32> visits(size_t(width) * height);
  for (u32 y = 0; y < height; ++y) {
    for (u32 x = 0; x < width; ++x) {
      VisitCounter counter;
      closest_hit(tree, table, camera_ray(camera, x, y, width, height), counter);
      visits[size_t(y) * width + x] = counter.nodes + counter.primitives;
    }
  }
  std::vector<u32> sorted;
  std::copy_if(visits.begin(), visits.end(), std::back_inserter(sorted), [](u32 count) { return count > 1; });
  std::sort(sorted.begin(), sorted.end());
  max_visits = sorted.empty() ? 1 : sorted[(sorted.size() - 1) * 99 / 100];
  Image image{width, height, std::vector<Rgba8>(visits.size())};
  for (size_t i = 0; i < visits.size(); ++i) {
    if (visits[i] > 1) image.pixels[i] = detail::to_rgba(detail::heat_scale(float(visits[i]) / float(max_visits)));
  }
  return image;
}

}  // namespace copse::web
