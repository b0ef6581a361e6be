#pragma once

// Scenes of random instances, and what rays through them must find.

#include <glm/gtc/matrix_transform.hpp>
#include <string>
#include <vector>

#include "builders/geometry/generate.h"
#include "scene/build/instance_box.h"
#include "scene/scene_rays.h"
#include "tests/accel/accels.h"

namespace copse::test {

/// Meshes with an accel each.
struct Models {
  std::vector<Mesh> meshes;
  std::vector<DeviceMesh> device;
  std::vector<Accel> accels;

  Models(Context& context, std::vector<Mesh> all) : meshes(std::move(all)) {
    for (const Mesh& mesh : meshes) {
      device.emplace_back(context, mesh);
      accels.push_back(build(context, device.back().view(7)));
    }
  }
};

inline std::vector<Mesh> some_meshes() {
  return {generate_sphere(2), generate_cube(), generate_random(200, 0.3f), {}};
}

/// The point of a mesh in the scene.
inline glm::dvec3 placed(const Instance& instance, const vec3& p) {
  glm::dvec3 q;
  for (int i = 0; i < 3; ++i) {
    q[i] = double(instance.rows[i][0]) * p.x + double(instance.rows[i][1]) * p.y +
           double(instance.rows[i][2]) * p.z + double(instance.rows[i][3]);
  }
  return q;
}

/// Turned, scaled unevenly, sometimes mirrored, with masks and ids.
inline std::vector<Instance> random_instances(u32 count, u32 accel_count, u32 seed, float spread = 6) {
  RayMaker random(seed);
  std::vector<Instance> instances;
  for (u32 i = 0; i < count; ++i) {
    glm::mat4 m = glm::translate(glm::mat4(1), random.point(-spread, spread));
    m = glm::rotate(m, random.uniform(0, 6), glm::normalize(random.point(-1, 1) + vec3(0, 0, 2)));
    m = glm::scale(m, vec3(random.uniform(0.2f, 2), random.uniform(0.2f, 2), random.uniform(-2, -0.2f)));
    if (i % 2 == 1) m[2] = -m[2];  // not mirrored
    Instance instance = Instance::of(glm::mat4x3(m), i % accel_count);
    instance.mask = i % 5 == 4 ? ~u32{0} : u32{1} << i % 3;
    instance.id = 1000 + i;
    instances.push_back(instance);
  }
  return instances;
}

/// All instances as one mesh. Views of it, one per instance, have the number of the instance as geometry id.
struct Flattened {
  std::vector<Mesh> parts;

  Flattened(const Models& models, const std::vector<Instance>& instances) {
    for (const Instance& instance : instances) {
      Mesh part = models.meshes[instance.accel];
      for (vec3& p : part.positions) p = vec3(placed(instance, p));
      parts.push_back(std::move(part));
    }
  }

  std::vector<TriangleView> views() const {
    std::vector<TriangleView> all;
    for (u32 i = 0; i < parts.size(); ++i) {
      all.push_back(host_view(parts[i]));
      all.back().geometry = i;
    }
    return all;
  }

  Mesh joined() const {
    Mesh all;
    for (const Mesh& part : parts) {
      const u32 first = u32(all.positions.size());
      all.positions.insert(all.positions.end(), part.positions.begin(), part.positions.end());
      for (const uvec3& t : part.triangles) all.triangles.push_back(t + first);
    }
    return all;
  }
};

/// The closest hit by every triangle of every instance, each in the space of its mesh.
inline SceneHit slow_scene_hit(const Models& models, const std::vector<Instance>& instances,
                               const std::vector<Aabb>& boxes, const Ray& ray, u32 mask = ~u32{0}) {
  SceneHit best{ray.t_max, invalid_id, invalid_id, 0, 0, invalid_id};
  if (!is_traceable(ray)) return best;
  for (u32 i = 0; i < instances.size(); ++i) {
    const Instance& instance = instances[i];
    detail::PlacedInstance placed{};
    if (is_empty(boxes[i]) || (instance.mask & mask) == 0) continue;
    EXPECT_TRUE(detail::Affine::of(&instance.rows[0][0]).store_inverse(placed.rows));
    TriangleView view = host_view(models.meshes[instance.accel]);
    view.geometry = 7;
    const Hit hit = brute_force_hit({view}, placed.into_mesh(ray, ray.t_max));
    float t = hit.t;
    if (!is_hit(hit) || !detail::bring_into_box(ray, boxes[i], t) || t > ray.t_max) continue;
    if (!is_hit(best) || t < best.t) best = {t, hit.primitive, hit.geometry, hit.u, hit.v, i};
  }
  return best;
}

/// Counts what a ray visits in each mesh whose box it meets.
struct CountedMeshes {
  const Scene& scene;
  const std::vector<AccelView>& accels;
  const Ray& ray;
  VisitCounter& counter;

  bool operator()(u32 number, float& limit) {
    const detail::PlacedInstance& instance = scene.view().parts.instances[number];
    const Ray in_mesh = instance.into_mesh(ray, limit);
    const AccelView& accel = accels[instance.accel];
    const Hit hit = closest_hit(accel.tree, accel.triangles, in_mesh, counter);
    if (is_hit(hit)) limit = hit.t;
    return false;
  }
};

/// The nodes and triangles that a ray visits on both levels of a scene on the host.
///   accels: of the scene
inline u32 visit_count(const Scene& scene, const std::vector<AccelView>& accels, const Ray& ray) {
  VisitCounter counter;
  CountedMeshes test{scene, accels, ray, counter};
  traverse<default_stack_size>(scene.view().tree, ray, test, counter);
  return counter.nodes + counter.primitives;
}

inline std::vector<SceneHit> trace(Context& context, const Scene& scene, const std::vector<Ray>& rays,
                                   const SceneTraceOptions& options = {}) {
  const Buffer<Ray> device_rays(context, rays);
  Buffer<SceneHit> hits(context, rays.size());
  closest_hits(context, scene, device_rays.span(), hits.span(), options);
  return hits.download();
}

inline std::vector<u8> trace_any(Context& context, const Scene& scene, const std::vector<Ray>& rays,
                                 const SceneTraceOptions& options = {}) {
  const Buffer<Ray> device_rays(context, rays);
  Buffer<u8> occluded(context, rays.size());
  any_hits(context, scene, device_rays.span(), occluded.span(), options);
  return occluded.download();
}

inline bool same_bits(const SceneHit& a, const SceneHit& b) {
  return same_bits(SceneView::in_mesh(a), SceneView::in_mesh(b)) && a.instance == b.instance;
}

inline std::string text(const SceneHit& hit) {
  return text(SceneView::in_mesh(hit)) + " instance " + std::to_string(i32(hit.instance));
}

/// Hits and occlusion are the expected ones, bit for bit.
inline void expect_hits(Context& context, const Scene& scene, const std::vector<Ray>& rays,
                        const std::vector<SceneHit>& expected, const std::string& name,
                        const SceneTraceOptions& options = {}) {
  const std::vector<SceneHit> hits = trace(context, scene, rays, options);
  const std::vector<u8> occluded = trace_any(context, scene, rays, options);
  for (size_t i = 0; i < rays.size(); ++i) {
    ASSERT_TRUE(same_bits(hits[i], expected[i]))
        << name << ": " << text(rays[i]) << ": " << text(hits[i]) << ", expected " << text(expected[i]);
    ASSERT_EQ(occluded[i], is_hit(expected[i]) ? 1 : 0) << name << ": " << text(rays[i]);
  }
}

}  // namespace copse::test
