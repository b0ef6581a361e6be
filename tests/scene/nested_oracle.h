#pragma once

// Scenes of scenes, and what rays through them must find: brute force goes down all paths to all triangles.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "scene/nested_rays.h"
#include "scene/nested_view.h"
#include "tests/scene/scenes.h"

namespace copse::test {

/// A scene as brute force sees it.
struct SlowScene {
  struct Part {
    const Mesh* mesh;  // null: a scene
    const SlowScene* scene;
  };
  std::vector<Part> parts;
  std::vector<Instance> instances;
  std::vector<Aabb> boxes;
};

/// A hit, and its t as the mesh has it.
struct NestedCandidate {
  NestedHit hit;
  float t_in_mesh;
};

/// Goes down all paths to all triangles.
struct SlowSearch {
  u32 mask = ~u32{0};
  Cull cull = Cull::none;
  std::vector<NestedCandidate> found = {};

  struct Step {
    Ray ray;
    Aabb box;
    u32 instance;
  };
  std::vector<Step> path = {};

  void in_mesh(const Mesh& mesh, const Ray& ray, Cull side) {
    if (!is_traceable(ray)) return;
    const RayShear shear = make_shear(ray);
    const TriangleView view = host_view(mesh);
    for (u32 k = 0; k < view.triangle_count(); ++k) {
      const Triangle triangle = load_triangle(view, k);
      TriangleHit hit;
      if (side != Cull::none && detail::is_culled(triangle, ray.direction, side)) continue;
      if (!intersect_triangle(shear, triangle, ray.t_min, ray.t_max, hit)) continue;
      NestedCandidate candidate{NestedHit::miss(hit.t), hit.t};
      bool is_hit = true;
      for (size_t step = path.size(); step-- > 0;) {
        is_hit = is_hit && detail::bring_into_box(path[step].ray, path[step].box, candidate.hit.t);
        candidate.hit.path[step] = path[step].instance;
      }
      if (!is_hit || candidate.hit.t > ray.t_max) continue;
      candidate.hit.primitive = k, candidate.hit.geometry = 7, candidate.hit.u = hit.u, candidate.hit.v = hit.v;
      found.push_back(candidate);
    }
  }

  void in_scene(const SlowScene& scene, const Ray& ray, Cull side) {
    if (!is_traceable(ray)) return;
    for (u32 i = 0; i < scene.instances.size(); ++i) {
      const Instance& instance = scene.instances[i];
      if (is_empty(scene.boxes[i]) || (instance.mask & mask) == 0) continue;
      detail::PlacedInstance placed{};
      EXPECT_TRUE(detail::Affine::of(&instance.rows[0][0]).store_inverse(placed.rows));
      placed.flags = instance.flags;
      const SlowScene::Part& part = scene.parts[instance.accel];
      path.push_back({ray, scene.boxes[i], i});
      const Ray below = placed.into_mesh(ray, ray.t_max);
      if (part.mesh != nullptr) in_mesh(*part.mesh, below, placed.culled_side(side));
      if (part.scene != nullptr) in_scene(*part.scene, below, placed.culled_side(side));
      path.pop_back();
    }
  }

  /// All hits, in order.
  std::vector<NestedHit> hits(const SlowScene& scene, const Ray& ray) {
    in_scene(scene, ray, cull);
    std::stable_sort(found.begin(), found.end(), [](const NestedCandidate& a, const NestedCandidate& b) {
      if (a.hit.t != b.hit.t) return a.hit.t < b.hit.t;
      const i32 order = detail::compare_paths(a.hit, b.hit);
      return order == 0 ? a.t_in_mesh < b.t_in_mesh : order < 0;
    });
    std::vector<NestedHit> sorted;
    for (const NestedCandidate& candidate : found) sorted.push_back(candidate.hit);
    return sorted;
  }
};

inline bool same_bits(const NestedHit& a, const NestedHit& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

inline std::string text(const NestedHit& hit) {
  std::string path;
  for (u32 k = 0; k < hit.path_length(); ++k) path += " " + std::to_string(hit.path[k]);
  return text(NestedSceneView::in_mesh(hit)) + " path" + path;
}

inline std::vector<NestedHit> trace(Context& context, const NestedScene& scene, const std::vector<Ray>& rays,
                                    const SceneTraceOptions& options = {}) {
  const Buffer<Ray> device_rays(context, rays);
  Buffer<NestedHit> hits(context, rays.size());
  closest_hits(context, scene, device_rays.span(), hits.span(), options);
  return hits.download();
}

/// Three levels of instances: twigs of meshes, branches of twigs and meshes, and a tree of all of them. Some instances
/// stand where others do, and flags and masks are on all levels.
struct Grove {
  Models models;
  Scene twig;
  NestedScene branch, tree;
  SlowScene slow_twig, slow_branch, slow_tree;
  std::vector<Ray> rays;

  explicit Grove(Context& context, const SceneOptions& options = {})
      : models(context, {generate_sphere(1), generate_cube(), generate_random(40, 0.3f), {}}) {
    slow_twig.instances = random_instances(7, 4, 5, 1.5f);
    slow_branch.instances = random_instances(5, 2, 6, 3);
    slow_tree.instances = random_instances(7, 3, 7, 5);
    for (SlowScene* slow : {&slow_twig, &slow_branch, &slow_tree}) {
      slow->instances[0].mask = ~u32{0};
      slow->instances.push_back(slow->instances[0]);
      slow->instances[1].flags = InstanceFlags::flips_facing;
      slow->instances[2].flags = InstanceFlags(slow == &slow_branch ? 3 : 1);
    }
    for (const Mesh& mesh : models.meshes) slow_twig.parts.push_back({&mesh, nullptr});
    slow_branch.parts = {{nullptr, &slow_twig}, {&models.meshes[1], nullptr}};
    slow_tree.parts = {{nullptr, &slow_branch}, {nullptr, &slow_twig}, {&models.meshes[0], nullptr}};
    build_all(context, options);
    make_rays();
  }

  void build_all(Context& context, const SceneOptions& options) {
    twig = build(context, models.accels, slow_twig.instances, options);
    branch = build_nested(context, {twig, models.accels[1]}, slow_branch.instances, options);
    tree = build_nested(context, {branch, twig, models.accels[0]}, slow_tree.instances, options);
    read_boxes(context);
  }

  void read_boxes(Context& context) {
    slow_twig.boxes = download(context, twig.boxes());
    slow_branch.boxes = download(context, branch.boxes());
    slow_tree.boxes = download(context, tree.boxes());
  }

  /// Rays at the places of all triangles.
  void make_rays() {
    Mesh all;
    add_triangles(slow_tree, {}, all);
    rays = difficult_rays(all, 250, 3);
    for (const Ray& ray : rays_that_are_none(rays[0])) rays.push_back(ray);
  }

  static void add_triangles(const SlowScene& scene, const std::vector<Instance>& above, Mesh& all) {
    for (const Instance& instance : scene.instances) {
      std::vector<Instance> path = above;
      path.push_back(instance);
      const SlowScene::Part& part = scene.parts[instance.accel];
      if (part.scene != nullptr) add_triangles(*part.scene, path, all);
      if (part.mesh == nullptr) continue;
      const u32 first = u32(all.positions.size());
      for (vec3 p : part.mesh->positions) {
        for (size_t k = path.size(); k-- > 0;) p = vec3(placed(path[k], p));
        all.positions.push_back(p);
      }
      for (const uvec3& t : part.mesh->triangles) all.triangles.push_back(t + first);
    }
  }

  std::vector<NestedHit> hits(const Ray& ray, u32 mask = ~u32{0}, Cull cull = Cull::none) const {
    return SlowSearch{mask, cull}.hits(slow_tree, ray);
  }
  NestedHit hit(const Ray& ray, u32 mask = ~u32{0}, Cull cull = Cull::none) const {
    const std::vector<NestedHit> all = hits(ray, mask, cull);
    return all.empty() ? NestedHit::miss(ray.t_max) : all[0];
  }

  /// Closest and any hits are those of brute force.
  void expect_hits(Context& context, const std::string& name, const SceneTraceOptions& options = {}) const {
    const Buffer<Ray> device_rays(context, rays);
    Buffer<u8> occluded(context, rays.size());
    any_hits(context, tree, device_rays.span(), occluded.span(), options);
    const std::vector<u8> any = occluded.download();
    const std::vector<NestedHit> found = trace(context, tree, rays, options);
    u32 deep = 0;
    for (u32 i = 0; i < rays.size(); ++i) {
      const NestedHit expected = hit(rays[i], options.mask, options.cull);
      ASSERT_TRUE(same_bits(found[i], expected))
          << name << ": " << text(rays[i]) << ": " << text(found[i]) << ", expected " << text(expected);
      ASSERT_EQ(any[i], is_hit(expected)) << name << ": " << text(rays[i]);
      deep += expected.path_length() == 3;
    }
    EXPECT_GT(deep, 10u) << name;
  }
};

}  // namespace copse::test
