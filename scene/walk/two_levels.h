#pragma once

// The leaf tests of the tree over instances, for robust traversals and for the host. Each transforms the ray into the
// space of an instance, and traverses the tree of its accel there.

#include "scene/walk/scene_parts.h"
#include "trace/subtree_rays.h"

namespace copse {

namespace detail {

/// The closest hit below a node of an accel.
template <u32 stack_size>
COPSE_HD inline Hit closest_in_mesh(const AccelView& accel, u32 node, const Ray& ray, u32 mask, Cull cull) {
  if constexpr (COPSE_DEVICE_CODE == 1) {
    return closest_hit_below<stack_size>(accel.tree, node, accel.seen_by(ray, mask, cull), ray);
  } else {
    return closest_hit_on_host(accel.tree, accel.seen_by(ray, mask, cull), ray, node);
  }
}

/// The same for any hit.
template <u32 stack_size>
COPSE_HD inline bool any_in_mesh(const AccelView& accel, u32 node, const Ray& ray, u32 mask, Cull cull) {
  if constexpr (COPSE_DEVICE_CODE == 1) {
    return any_hit_below<stack_size>(accel.tree, node, accel.seen_by(ray, mask, cull), ray);
  } else {
    return any_hit_on_host(accel.tree, accel.seen_by(ray, mask, cull), ray, node);
  }
}

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
    const AccelView& accel = scene.accels[instance.accel];
    const Ray in_mesh = instance.into_mesh(ray, limit);
    const Cull side = instance.culled_side(cull);
    Hit found = closest_in_mesh<stack_size>(accel, instance.node, in_mesh, mask, side);
    if (!copse::is_hit(found)) return false;
    float t = found.t;
    if (!is_surely_in_box(ray, instance.box(), t) && !bring_into_box(ray, instance.box(), t)) return false;
    if (t > limit || (t == limit && closest.instance < instance.number)) return false;
    // Two parts of an opened instance have hits at the same t. A search of the whole mesh decides which of them is
    // first.
    if (t == limit && closest.instance == instance.number) {
      found = closest_in_mesh<stack_size>(accel, 0, in_mesh, mask, side);
    }
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
            any_in_mesh<stack_size>(scene.accels[instance.accel], instance.node,
                                    instance.into_mesh(ray, ray.t_max), mask, instance.culled_side(cull));
    return found;
  }

  COPSE_HD bool is_hit() const { return found; }
};

/// The closest hit by robust traversals. It is out of line, so that it costs the fast one no registers.
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
