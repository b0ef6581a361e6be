#include "web/module/picture.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace copse::web {

namespace {

Vector cross(const Vector& a, const Vector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

Vector mix(const Vector& a, const Vector& b, float share) {
  return a * (1 - share) + b * share;
}

/// Stores a colour of numbers from 0 to 1.
void store(Pixels& pixels, size_t i, const Vector& colour) {
  const float parts[] = {colour.x, colour.y, colour.z};
  for (int k = 0; k < 3; ++k) pixels[4 * i + k] = uint8_t(std::clamp(parts[k], 0.0f, 1.0f) * 255 + 0.5f);
  pixels[4 * i + 3] = 255;
}

/// Dark blue, violet, red, orange, light yellow. Lightness grows evenly. The style sheet of the page has the same scale.
Vector heat_colour(float heat) {
  static constexpr Vector points[] = {{0.03f, 0.04f, 0.20f}, {0.22f, 0.08f, 0.44f}, {0.50f, 0.14f, 0.49f},
                                      {0.78f, 0.26f, 0.38f}, {0.95f, 0.52f, 0.22f}, {0.99f, 0.77f, 0.32f},
                                      {1.00f, 0.98f, 0.74f}};
  constexpr size_t last = std::size(points) - 1;
  const float place = std::clamp(heat, 0.0f, 1.0f) * float(last);
  const size_t left = std::min(size_t(place), last - 1);
  return mix(points[left], points[left + 1], place - float(left));
}

}  // namespace

copse_ray camera_ray(const Camera& camera, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  const float s = (float(x) + 0.5f) * 2 / float(width) - 1, t = 1 - (float(y) + 0.5f) * 2 / float(height);
  const Vector toward = camera.forward + (camera.right * s + camera.up * t);
  const Vector direction = toward * (1 / std::sqrt(dot(toward, toward)));
  return {{camera.eye.x, camera.eye.y, camera.eye.z},
          0,
          {direction.x, direction.y, direction.z},
          std::numeric_limits<float>::infinity()};
}

std::vector<copse_ray> camera_rays(const Camera& camera, uint32_t width, uint32_t height) {
  std::vector<copse_ray> rays(size_t(width) * height);
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) rays[size_t(y) * width + x] = camera_ray(camera, x, y, width, height);
  }
  return rays;
}

Corners corners_of(const copse_geometry& mesh, uint32_t triangle) {
  const uint32_t* const indices = static_cast<const uint32_t*>(mesh.indices) + 3 * size_t(triangle);
  const auto corner = [&](int k) { return vector_of(mesh.positions + 3 * size_t(indices[k])); };
  return {corner(0), corner(1), corner(2)};
}

Pixels surface_picture(const copse_geometry& mesh, std::span<const copse_ray> rays,
                       std::span<const copse_hit> hits) {
  Pixels pixels(4 * hits.size());
  for (size_t i = 0; i < hits.size(); ++i) {
    if (hits[i].primitive == COPSE_NO_ID) continue;
    const Corners corners = corners_of(mesh, hits[i].primitive);
    const Vector across = cross(corners.b - corners.a, corners.c - corners.a);
    const float length = std::sqrt(dot(across, across));
    const Vector direction = vector_of(rays[i].direction);
    Vector normal = length > 0 ? across * (1 / length) : direction * -1;
    const float cosine = dot(normal, direction);
    if (cosine > 0) normal = normal * -1;
    const Vector tint = mix({0.97f, 0.97f, 0.97f}, Vector{0.5f, 0.5f, 0.5f} + normal * 0.5f, 0.42f);
    store(pixels, i, tint * (0.16f + 0.84f * std::abs(cosine)));
  }
  return pixels;
}

Pixels heat_picture(std::span<const copse_visits> visits, uint32_t& max_visits) {
  std::vector<uint32_t> counts;
  for (const copse_visits& of_ray : visits) counts.push_back(of_ray.nodes + of_ray.triangles);
  // A ray that comes to the root alone visits nothing.
  std::vector<uint32_t> sorted;
  std::copy_if(counts.begin(), counts.end(), std::back_inserter(sorted), [](uint32_t count) { return count > 1; });
  std::sort(sorted.begin(), sorted.end());
  max_visits = sorted.empty() ? 1 : sorted[(sorted.size() - 1) * 99 / 100];
  Pixels pixels(4 * counts.size());
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 1) store(pixels, i, heat_colour(float(counts[i]) / float(max_visits)));
  }
  return pixels;
}

}  // namespace copse::web
