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

}  // namespace

std::vector<Ray> make_primary_rays(const Aabb& box, bool interior, u32 size) {
  vec3 origin = centroid(box);
  if (!interior) origin.z += 2 * half_diagonal(box);
  const u32 tiles_across = size / tile;
  std::vector<Ray> rays(u64{size} * size);
  for (u64 i = 0; i < rays.size(); ++i) {
    const u32 tile_id = u32(i / (tile * tile)), in_tile = u32(i % (tile * tile));
    const u32 x = tile_id % tiles_across * tile + in_tile % tile;
    const u32 y = tile_id / tiles_across * tile + in_tile / tile;
    const float u = (float(x) + 0.5f) / float(size) - 0.5f, v = (float(y) + 0.5f) / float(size) - 0.5f;
    rays[i] = {origin, 0.0f, glm::normalize(vec3(u, v, -1)), infinity};
  }
  return rays;
}

std::vector<Ray> make_diffuse_rays(const Mesh& mesh, const Aabb& box, const std::vector<Ray>& primary,
                                   const std::vector<Hit>& hits) {
  const float lift = 1e-4f * half_diagonal(box);
  std::vector<Ray> rays;
  for (u64 i = 0; i < hits.size(); ++i) {
    if (!is_hit(hits[i])) continue;
    const uvec3 corners = mesh.triangles[hits[i].primitive];
    const vec3 a = mesh.positions[corners.x], b = mesh.positions[corners.y], c = mesh.positions[corners.z];
    vec3 normal = glm::normalize(glm::cross(b - a, c - a));
    if (glm::dot(normal, primary[i].direction) > 0) normal = -normal;

    // The normal plus a point on the unit sphere is cosine-distributed. The factor 0.999 keeps it from vanishing.
    Random random(u32(i) * 9781u + 1u);
    const vec3 direction = glm::normalize(normal + 0.999f * point_on_sphere(random));
    const vec3 origin = primary[i].origin + hits[i].t * primary[i].direction + lift * normal;
    rays.push_back({origin, 0.0f, direction, infinity});
  }
  return rays;
}

}  // namespace copse::bench
