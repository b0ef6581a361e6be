#pragma once

// The leaf tests of the tree over instances, for robust traversals and for the host. Each takes the ray into the space
// of an instance, and traverses the tree of its accel there.

#include "scene/walk/scene_parts.h"

namespace copse {

namespace detail {

/// Keeps the smallest (t, instance, primitive).
template <u32 stack_size>
struct ClosestInstance {
  const SceneParts& scene;
  const Ray& ray;
  u32 mask;
  Cull cull;
  SceneHit closest{0, invalid_id, invalid_id, 0, 0, invalid_id};

  COPSE_HD bool operator()(u32 record, float& limit) {
    const PlacedInstance& instance = scene.instances[record];
    if ((instance.mask & mask) == 0) return false;
    const Hit found = closest_hit<stack_size>(scene.accels[instance.accel], instance.into_mesh(ray, limit), mask,
                                              instance.culled_side(cull));
    if (!is_hit(found)) return false;
    float t = found.t;
    if (!is_surely_in_box(ray, instance.box(), t) && !bring_into_box(ray, instance.box(), t)) return false;
    if (t > limit || (t == limit && closest.instance < instance.number)) return false;
    closest = {t, found.primitive, found.geometry, found.u, found.v, instance.number};
    limit = t;
    return false;
  }

  COPSE_HD SceneHit hit(float limit) const {
    return {limit, closest.primitive, closest.geometry, closest.u, closest.v, closest.instance};
  }
};

/// Ends the traversal at the first instance that the ray hits.
template <u32 stack_size>
struct AnyInstance {
  const SceneParts& scene;
  const Ray& ray;
  u32 mask;
  Cull cull;
  bool found = false;

  COPSE_HD bool operator()(u32 record, float&) {
    const PlacedInstance& instance = scene.instances[record];
    float t = ray.t_min;
    found = (instance.mask & mask) != 0 && bring_into_box(ray, instance.box(), t) &&
            any_hit<stack_size>(scene.accels[instance.accel], instance.into_mesh(ray, ray.t_max), mask,
                                instance.culled_side(cull));
    return found;
  }

  COPSE_HD bool is_hit() const { return found; }
};

/// The closest hit by robust traversals. It is out of line so that it takes no registers from the fast one.
template <u32 stack_size>
[[gnu::noinline]] COPSE_HD SceneHit robust_closest_hit(const CompressedBvh4View& tree, const SceneParts& scene,
                                                       const Ray& ray, u32 mask, Cull cull) {
  ClosestInstance<stack_size> test{scene, ray, mask, cull};
  const float limit = traverse<stack_size>(tree, ray, test);
  return test.hit(limit);
}

/// The same for any hit.
template <u32 stack_size>
[[gnu::noinline]] COPSE_HD bool robust_any_hit(const CompressedBvh4View& tree, const SceneParts& scene,
                                               const Ray& ray, u32 mask, Cull cull) {
  AnyInstance<stack_size> test{scene, ray, mask, cull};
  traverse<stack_size>(tree, ray, test);
  return test.found;
}

}  // namespace detail

}  // namespace copse
