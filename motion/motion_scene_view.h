#pragma once

// Traces a ray through a copse::MotionScene at a time, on the host and in kernels. In kernels there is nothing to link.
//
//   __global__ void shade(copse::MotionSceneView scene, ...) {
//     const copse::SceneHit hit = copse::closest_hit(scene, ray, time);
//     const copse::TransformRows rows = scene.transform_of(hit, time);      // for normals
//     ...
//
// The hits equal those of batches, bit for bit.

#include "motion/walk/motion_scene_walk.h"

namespace copse {

/// The part of a MotionScene that kernels need: a small value that you pass by copy. It owns nothing. It stays valid
/// through refits and rebuilds of the scene, and through those of its accels.
struct MotionSceneView {
  const CompressedBvh4View* trees;  // over the instances, each for a part of the time
  u32 tree_count;
  detail::MotionParts parts;

  /// The tree for rays at this time, which is not NaN.
  COPSE_HD const CompressedBvh4View& tree_at(float time) const {
    const float clamped = min_number(max_number(time, 0.0f), 1.0f);
    return trees[smaller(u32(mul_rn(clamped, float(tree_count))), tree_count - 1)];
  }

  /// Returns the caller's own id of the instance that was hit.
  COPSE_HD u32 id_of(const SceneHit& hit) const { return parts.instances[hit.instance].id; }

  /// Returns the transform of the instance that was hit, at the time of the ray.
  COPSE_HD TransformRows transform_of(const SceneHit& hit, float time) const {
    return parts.rows_at(hit.instance, detail::KeyTime::of(time, parts.key_count));
  }
};

namespace detail {

COPSE_HD inline MotionSight sight_at(const MotionSceneView& scene, float time, u32 mask, Cull cull) {
  return {KeyTime::of(time, scene.parts.key_count), time, mask, cull};
}

}  // namespace detail

/// Returns the closest hit: the smallest (t, instance, primitive id through all views of the instance's accel). On a
/// miss the ids are invalid_id and t is the ray's t_max.
///   scene:      in memory that the caller can read; in a kernel that is device memory
///   time:       0 at the first key, 1 at the last. Below 0 it counts as 0, above 1 as 1; at NaN the ray hits nothing
///   mask:       the ray sees an instance if this shares a bit with its mask, and in it a triangle if this shares a bit
///               with TriangleView::mask
///   cull:       the side of triangles that the ray passes over; see InstanceFlags
///   stack_size: stack entries of each level, a power of two, where a kernel needs the robust traversal
template <u32 stack_size = default_stack_size>
COPSE_HD inline SceneHit closest_hit(const MotionSceneView& scene, const Ray& ray, float time, u32 mask = ~u32{0},
                                     Cull cull = Cull::none) {
  const detail::MotionSight sight = detail::sight_at(scene, time, mask, cull);
  if (!sight.time.is_number) return {ray.t_max, invalid_id, invalid_id, 0, 0, invalid_id};
  if constexpr (COPSE_DEVICE_CODE == 1) {
    detail::MotionSceneTest<detail::ClosestTriangle, detail::SceneSight> test(scene.parts, {mask, cull}, ray,
                                                                              sight.time, time);
    float limit;
    if (detail::walk_scene<detail::SceneWalkInOrder>(scene.tree_at(time), ray, test, limit)) {
      return test.hit(limit);
    }
  }
  return detail::robust_closest_moving<stack_size>(scene.tree_at(time), scene.parts, ray, sight);
}

/// Returns true if the ray hits any triangle of any instance. The arguments are those of closest_hit.
template <u32 stack_size = default_stack_size>
COPSE_HD inline bool any_hit(const MotionSceneView& scene, const Ray& ray, float time, u32 mask = ~u32{0},
                             Cull cull = Cull::none) {
  const detail::MotionSight sight = detail::sight_at(scene, time, mask, cull);
  if (!sight.time.is_number) return false;
  if constexpr (COPSE_DEVICE_CODE == 1) {
    detail::MotionSceneTest<detail::AnyTriangleAt, detail::SceneSight> test(scene.parts, {mask, cull}, ray,
                                                                            sight.time, time);
    float limit;
    if (detail::walk_scene<detail::SceneWalkInNoOrder>(scene.tree_at(time), ray, test, limit)) {
      return test.is_hit();
    }
  }
  return detail::robust_any_moving<stack_size>(scene.tree_at(time), scene.parts, ray, sight);
}

}  // namespace copse
