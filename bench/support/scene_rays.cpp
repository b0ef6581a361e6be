#include "bench/support/scene_rays.h"

#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>

namespace copse::bench {

namespace {

constexpr u32 tile = 8;

float half_diagonal(const Aabb& box) {
  return 0.5f * glm::length(box.hi - box.lo);
}

/// Makes numbers in [0, 1) from a counter: the PCG output permutation (Jarzynski, Olano, "Hash Functions for GPU
/// Rendering", JCGT 2020) over a linear congruential step.
class Random {
 public:
  explicit Random(u32 seed) : state_(seed) {}
  float next() {
    state_ = state_ * 747796405u + 2891336453u;
    const u32 word = ((state_ >> ((state_ >> 28) + 4)) ^ state_) * 277803737u;
    return float(((word >> 22) ^ word) >> 8) * 0x1p-24f;
  }

 private:
  u32 state_;
};

vec3 point_on_sphere(Random& random) {
  const float z = 1 - 2 * random.next();
  const float angle = 2 * std::numbers::pi_v<float> * random.next();
  const float radius = std::sqrt(std::fmax(0.0f, 1 - z * z));
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

/// A point on a surface that a ray has hit, lifted off it on the viewer's side.
struct LitPoint {
  vec3 origin, normal;

  LitPoint(const Mesh& mesh, float lift, const Ray& ray, const Hit& hit) {
    const uvec3 corners = mesh.triangles[hit.primitive];
    const vec3 a = mesh.positions[corners.x], b = mesh.positions[corners.y], c = mesh.positions[corners.z];
    normal = glm::normalize(glm::cross(b - a, c - a));
    if (glm::dot(normal, ray.direction) > 0) normal = -normal;
    origin = ray.origin + hit.t * ray.direction + lift * normal;
  }
};

}  // namespace

vec3 default_eye(const Aabb& box, bool interior) {
  vec3 eye = centroid(box);
  if (!interior) eye.z += 2 * half_diagonal(box);
  return eye;
}

std::vector<Ray> make_primary_rays(const vec3& eye, u32 size) {
  const u32 tiles_across = size / tile;
  std::vector<Ray> rays(u64{size} * size);
  for (u64 i = 0; i < rays.size(); ++i) {
    const u32 tile_id = u32(i / (tile * tile)), in_tile = u32(i % (tile * tile));
    const u32 x = tile_id % tiles_across * tile + in_tile % tile;
    const u32 y = tile_id / tiles_across * tile + in_tile / tile;
    const float u = (float(x) + 0.5f) / float(size) - 0.5f, v = (float(y) + 0.5f) / float(size) - 0.5f;
    rays[i] = {eye, 0.0f, glm::normalize(vec3(u, v, -1)), infinity};
  }
  return rays;
}

std::vector<Ray> make_diffuse_rays(const Mesh& mesh, const Aabb& box, const std::vector<Ray>& primary,
                                   const std::vector<Hit>& hits) {
  const float lift = 1e-4f * half_diagonal(box);
  std::vector<Ray> rays;
  for (u64 i = 0; i < hits.size(); ++i) {
    if (!is_hit(hits[i])) continue;
    const LitPoint point(mesh, lift, primary[i], hits[i]);

    // The normal plus a point on the unit sphere is cosine-distributed. The factor 0.999 keeps it from vanishing.
    Random random(u32(i) * 9781u + 1u);
    const vec3 direction = glm::normalize(point.normal + 0.999f * point_on_sphere(random));
    rays.push_back({point.origin, 0.0f, direction, infinity});
  }
  return rays;
}

vec3 shadow_light(const Aabb& box, const vec3& eye, bool interior) {
  const float radius = half_diagonal(box);
  return interior ? eye + radius * vec3(0.15f, 0.08f, 0.1f) : centroid(box) + radius * vec3(1, 2, 1);
}

std::vector<Ray> make_shadow_rays(const Mesh& mesh, const Aabb& box, const std::vector<Ray>& primary,
                                  const std::vector<Hit>& hits, const vec3& light) {
  const float lift = 1e-4f * half_diagonal(box);
  std::vector<Ray> rays;
  for (u64 i = 0; i < hits.size(); ++i) {
    if (!is_hit(hits[i])) continue;
    const LitPoint point(mesh, lift, primary[i], hits[i]);
    rays.push_back({point.origin, 0.0f, light - point.origin, 1.0f});
  }
  return rays;
}

}  // namespace copse::bench
