#pragma once

// Traces a ray through a copse::Scene, on the host and in kernels. In kernels there is nothing to link.
//
//   __global__ void shade(copse::SceneView scene, ...) {
//     const copse::SceneHit hit = copse::closest_hit(scene, ray);
//     const u32 material = materials[scene.id_of(hit)];
//     const bool is_dark = copse::any_hit(scene, shadow_ray);
//     ...
//
// The hits equal those of batches, bit for bit.

#include "scene/walk/scene_walk.h"
#include "scene/walk/two_levels.h"

namespace copse {

/// The part of a Scene that kernels need: a small value that you pass by copy. It owns nothing. It stays valid
/// through refits and rebuilds of the scene, and through those of its accels.
struct SceneView {
  CompressedBvh4View tree;  // over the instances
  detail::SceneParts parts;

  /// Returns the caller's own id of the instance that was hit.
  COPSE_HD u32 id_of(const SceneHit& hit) const { return parts.instances[hit.instance].id; }

  /// Returns the hit as a hit of the accel's own triangles.
  COPSE_HD static Hit in_mesh(const SceneHit& hit) { return {hit.t, hit.primitive, hit.geometry, hit.u, hit.v}; }
};

/// Returns the closest hit: the smallest (t, instance, primitive id through all views of the instance's accel). On
/// a miss the ids are invalid_id and t is the ray's t_max.
///   scene:      in memory that the caller can read; in a kernel that is device memory
///   mask:       the ray sees an instance if this shares a bit with Instance::mask, and in it a triangle if this
///               shares a bit with TriangleView::mask
///   cull:       the side of triangles that the ray passes over; see InstanceFlags
///   stack_size: stack entries of each level, a power of two, where a kernel needs the robust traversal
template <u32 stack_size = default_stack_size>
COPSE_HD inline SceneHit closest_hit(const SceneView& scene, const Ray& ray, u32 mask = ~u32{0},
                                     Cull cull = Cull::none) {
  if constexpr (COPSE_DEVICE_CODE == 1) {
    detail::SceneTest<detail::ClosestTriangle, detail::SceneSight> test(scene.parts, {mask, cull}, ray);
    float limit;
    if (detail::walk_scene<detail::SceneWalkInOrder>(scene.tree, ray, test, limit)) return test.hit(limit);
  }
  return detail::robust_closest_hit<stack_size>(scene.tree, scene.parts, ray, mask, cull);
}

/// Returns true if the ray hits any triangle of any instance. The arguments are those of closest_hit.
template <u32 stack_size = default_stack_size>
COPSE_HD inline bool any_hit(const SceneView& scene, const Ray& ray, u32 mask = ~u32{0}, Cull cull = Cull::none) {
  if constexpr (COPSE_DEVICE_CODE == 1) {
    detail::SceneTest<detail::AnyTriangleAt, detail::SceneSight> test(scene.parts, {mask, cull}, ray);
    float limit;
    if (detail::walk_scene<detail::SceneWalkInNoOrder>(scene.tree, ray, test, limit)) return test.is_hit();
  }
  return detail::robust_any_hit<stack_size>(scene.tree, scene.parts, ray, mask, cull);
}

}  // namespace copse
