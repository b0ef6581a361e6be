#pragma once

// One pixel of a path tracer, for the host and for kernels: diffuse surfaces under a rectangular light and a sky.
// It uses only sums, products, quotients and square roots. So compilers that fuse none of them make equal
// pictures.

#include <copse/accel/accel_view.h>
#include <copse/copse.h>

#include <cmath>

namespace path_tracer {

using copse::u32;
using copse::u64;
using glm::vec3;

struct Material {
  vec3 albedo;
  vec3 emission;
};

/// A rectangular light. Two triangles of the scene have its shape too.
struct Light {
  vec3 corner, edge_u, edge_v;
  vec3 normal;
  float area;
  vec3 emission;
};

COPSE_HD inline float dot(const vec3& a, const vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
COPSE_HD inline vec3 cross(const vec3& a, const vec3& b) {
  return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
COPSE_HD inline vec3 normalized(const vec3& a) {
  return a / sqrtf(dot(a, a));
}

/// Numbers that look random (Jarzynski, Olano, "Hash Functions for GPU Rendering", JCGT 2020, pcg).
class Random {
 public:
  COPSE_HD Random(u32 pixel, u32 sample) : state_(hash(pixel ^ hash(sample))) {}

  /// In [0, 1).
  COPSE_HD float next() {
    state_ = state_ * 747796405u + 2891336453u;
    return float(hash(state_) >> 8) / float(1 << 24);
  }

  COPSE_HD vec3 on_sphere() {
    for (;;) {
      const float x = 2 * next() - 1, y = 2 * next() - 1, z = 2 * next() - 1;
      const vec3 p(x, y, z);
      const float square = dot(p, p);
      if (square > 0.01f && square <= 1) return p / sqrtf(square);
    }
  }

 private:
  COPSE_HD static u32 hash(u32 x) {
    const u32 word = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
    return (word >> 22) ^ word;
  }

  u32 state_;
};

/// The scene in a context's memory.
struct Scene {
  copse::AccelView accel;
  copse::TriangleView triangles;
  const u32* material_ids;  // one per triangle
  const Material* materials;
  Light light;
  vec3 sky;
  float step;  // off a surface, so that rays do not hit it again
};

/// A point where a ray hit a surface, with the normal on the ray's side.
struct SurfacePoint {
  vec3 position;
  vec3 normal;
  Material material;
};

COPSE_HD inline SurfacePoint surface_at(const Scene& scene, const copse::Ray& ray, const copse::Hit& hit) {
  const copse::Triangle t = copse::load_triangle(scene.triangles, hit.primitive);
  vec3 normal = normalized(cross(t.b - t.a, t.c - t.a));
  if (dot(normal, ray.direction) > 0) normal = -normal;
  const vec3 position = t.a * (1 - hit.u - hit.v) + t.b * hit.u + t.c * hit.v;
  return {position + normal * scene.step, normal, scene.materials[scene.material_ids[hit.primitive]]};
}

/// The light that a diffuse surface reflects from a random point of the light, divided by its albedo.
COPSE_HD inline vec3 light_at(const Scene& scene, const SurfacePoint& at, Random& random) {
  const Light& light = scene.light;
  const float u = random.next(), v = random.next();
  const vec3 to_light = light.corner + light.edge_u * u + light.edge_v * v - at.position;
  const float square = dot(to_light, to_light), distance = sqrtf(square);
  const vec3 direction = to_light / distance;
  const float cosine = dot(direction, at.normal), cosine_at_light = -dot(direction, light.normal);
  if (cosine <= 0 || cosine_at_light <= 0) return vec3(0);

  const copse::Ray shadow_ray{at.position, 0, direction, distance - 2 * scene.step};
  if (copse::any_hit(scene.accel, shadow_ray)) return vec3(0);
  constexpr float pi = 3.14159265f;
  return light.emission * (cosine * cosine_at_light * light.area / (square * pi));
}

/// The light that comes back along a ray. Directions are cosine-distributed, so a bounce multiplies by its albedo.
/// The light is sampled directly at each bounce. So it counts if the camera sees it, but not if a bounce hits it.
COPSE_HD inline vec3 radiance(const Scene& scene, copse::Ray ray, Random& random) {
  constexpr u32 max_bounces = 5;
  vec3 light(0), weight(1);
  for (u32 bounce = 0; bounce < max_bounces; ++bounce) {
    const copse::Hit hit = copse::closest_hit(scene.accel, ray);
    if (!copse::is_hit(hit)) return light + weight * scene.sky;
    const SurfacePoint at = surface_at(scene, ray, hit);
    if (bounce == 0) light += at.material.emission;
    weight *= at.material.albedo;
    light += weight * light_at(scene, at, random);
    ray = {at.position, 0, normalized(at.normal + random.on_sphere() * 0.999f), copse::infinity};
  }
  return light;
}

/// Adds samples to the sum of a pixel.
struct TracePixel {
  Scene scene;
  copse::Camera camera;
  u32 width, height;
  u32 first_sample, sample_count;
  vec3* sums;  // width * height, in rows from the top left

  COPSE_HD void operator()(u64 pixel) const {
    const u32 x = u32(pixel % width), y = u32(pixel / width);
    vec3 sum = sums[pixel];
    for (u32 sample = first_sample; sample < first_sample + sample_count; ++sample) {
      Random random(u32(pixel), sample);
      // A random point in the pixel: one of 8 x 8 subpixels.
      const u32 dx = u32(random.next() * 8), dy = u32(random.next() * 8);
      const copse::Ray ray = copse::camera_ray(camera, 8 * x + dx, 8 * y + dy, 8 * width, 8 * height);
      sum += radiance(scene, ray, random);
    }
    sums[pixel] = sum;
  }
};

}  // namespace path_tracer
