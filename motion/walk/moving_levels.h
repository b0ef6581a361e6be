#pragma once

// The leaf tests of the tree over moving instances, for robust traversals and for the host. Each transforms the ray
// into the space of an instance at the ray's time, and traverses the tree of its mesh there.

#include "motion/motion_view.h"
#include "motion/walk/moving_instance.h"
#include "scene/walk/two_levels.h"

namespace copse::detail {

/// A ray in the space of an instance.
struct MovingInstanceRay {
  Ray in_mesh;
  Cull side;
  Aabb box;
};

/// The time, mask and culling of a ray.
struct MotionSight {
  KeyTime time;
  float of_ray;  // the ray's own time, for meshes of type MotionAccel
  u32 mask;
  Cull cull;
};

/// Transforms a ray into the space of an instance. False if the instance does not exist for the ray.
COPSE_HD inline bool enter_moving_instance(const MotionParts& scene, u32 number, const MotionSight& sight,
                                           const Ray& ray, float limit, MovingInstanceRay& entered) {
  const MovingInstance& instance = scene.instances[number];
  if ((instance.mask & sight.mask) == 0) return false;
  entered.box = scene.box_at(number, sight.time);
  PlacedInstance placed;
  if (is_empty(entered.box) || !scene.place(number, instance, sight.time, placed)) return false;
  entered.in_mesh = placed.into_mesh(ray, limit);
  entered.side = placed.culled_side(sight.cull);
  return true;
}

/// Keeps the smallest (t, instance, primitive).
template <u32 stack_size>
struct ClosestMovingInstance {
  const MotionParts& scene;
  const Ray& ray;
  MotionSight sight;
  SceneHit closest{0, invalid_id, invalid_id, 0, 0, invalid_id};

  COPSE_HD bool operator()(u32 number, float& limit) {
    MovingInstanceRay entered;
    if (!enter_moving_instance(scene, number, sight, ray, limit, entered)) return false;
    const MovingInstance& instance = scene.instances[number];
    const Hit found = instance.moves_inside != 0
                          ? closest_hit<stack_size>(scene.moving_mesh(instance), entered.in_mesh, sight.of_ray,
                                                    sight.mask, entered.side)
                          : closest_in_mesh<stack_size>(scene.accels[instance.accel], 0, entered.in_mesh,
                                                        sight.mask, entered.side);
    if (!copse::is_hit(found)) return false;
    float t = found.t;
    if (!bring_into_box(ray, entered.box, t)) return false;
    if (t > limit || (t == limit && closest.instance < number)) return false;
    closest = {t, found.primitive, found.geometry, found.u, found.v, number};
    limit = t;
    return false;
  }

  COPSE_HD SceneHit hit(float limit) const {
    return {limit, closest.primitive, closest.geometry, closest.u, closest.v, closest.instance};
  }
};

/// Ends the traversal at the first instance that the ray hits.
template <u32 stack_size>
struct AnyMovingInstance {
  const MotionParts& scene;
  const Ray& ray;
  MotionSight sight;
  bool found = false;

  COPSE_HD bool operator()(u32 number, float&) {
    MovingInstanceRay entered;
    if (!enter_moving_instance(scene, number, sight, ray, ray.t_max, entered)) return false;
    float t = ray.t_min;
    if (!bring_into_box(ray, entered.box, t)) return false;
    const MovingInstance& instance = scene.instances[number];
    found = instance.moves_inside != 0 ? any_hit<stack_size>(scene.moving_mesh(instance), entered.in_mesh,
                                                             sight.of_ray, sight.mask, entered.side)
                                       : any_in_mesh<stack_size>(scene.accels[instance.accel], 0, entered.in_mesh,
                                                                 sight.mask, entered.side);
    return found;
  }
};

/// The closest hit by robust traversals. It is out of line, so that it costs the fast one no registers.
template <u32 stack_size>
[[gnu::noinline]] COPSE_HD SceneHit robust_closest_moving(const CompressedBvh4View& tree, const MotionParts& scene,
                                                          const Ray& ray, const MotionSight& sight) {
  ClosestMovingInstance<stack_size> test{scene, ray, sight};
  const float limit = traverse<stack_size>(tree, ray, test);
  return test.hit(limit);
}

/// The same for any hit.
template <u32 stack_size>
[[gnu::noinline]] COPSE_HD bool robust_any_moving(const CompressedBvh4View& tree, const MotionParts& scene,
                                                  const Ray& ray, const MotionSight& sight) {
  AnyMovingInstance<stack_size> test{scene, ray, sight};
  traverse<stack_size>(tree, ray, test);
  return test.found;
}

}  // namespace copse::detail
