#pragma once

// Traces a ray through one world of a copse::SceneWorlds, on the host and in kernels. In kernels there is nothing
// to link.
//
//   __global__ void see(copse::SceneWorldsView worlds, ...) {
//     const copse::SceneHit hit = copse::closest_hit(worlds, world, ray);
//     ...
//
// The hits equal those of batches, bit for bit.

#include "builders/bvh/forest_view.h"
#include "scene/scene_view.h"

namespace copse {

/// The part of SceneWorlds that kernels need: a small value that you pass by copy. It owns nothing. It stays valid
/// through refits and rebuilds of the worlds, of the shared scene and of the accels.
struct SceneWorldsView {
  detail::ForestShape shape;
  detail::ForestTrees trees;
  const detail::PlacedInstance* instances;
  const AccelView* accels;
  bool has_masks;  // of triangles
  SceneView shared;
  bool has_shared;

  COPSE_HD u32 world_count() const { return shape.tree_count; }

  /// The instances of a world below world_count().
  COPSE_HD u32 instance_count(u32 world) const { return shape.size(world); }

  /// Returns a world below world_count() as a scene, without the shared part. Its hits number the instances
  /// through all worlds.
  COPSE_HD SceneView world(u32 world) const {
    const u32 begin = shape.begins[world];
    SceneView view{};
    view.tree = trees.view(world, begin, shape.size(world), shape.primitive_count);
    view.parts = {instances + begin, accels, has_masks};
    return view;
  }

  /// Returns the caller's own id of the instance that was hit in a world.
  COPSE_HD u32 id_of(u32 world, const SceneHit& hit) const {
    const u32 own = world < world_count() ? instance_count(world) : 0;
    return hit.instance < own ? instances[shape.begins[world] + hit.instance].id
                              : shared.parts.instances[hit.instance - own].id;
  }
};

/// Returns the closest hit in a world: the smallest (t, instance, primitive id through all views of the instance's
/// accel). The instances of the world are numbered from 0, and those of the shared scene after them. On a miss the
/// ids are invalid_id and t is the ray's t_max.
///   worlds: in memory that the caller can read; in a kernel that is device memory
///   world:  if it does not exist, the ray sees the shared scene alone
/// The other arguments are those of closest_hit for a SceneView.
template <u32 stack_size = default_stack_size>
COPSE_HD inline SceneHit closest_hit(const SceneWorldsView& worlds, u32 world, const Ray& ray, u32 mask = ~u32{0},
                                     Cull cull = Cull::none) {
  SceneHit hit{ray.t_max, invalid_id, invalid_id, 0, 0, invalid_id};
  const bool exists = world < worlds.world_count();
  if (exists) {
    hit = closest_hit<stack_size>(worlds.world(world), ray, mask, cull);
    if (is_hit(hit)) hit.instance -= worlds.shape.begins[world];
  }
  if (!worlds.has_shared) return hit;
  Ray rest = ray;
  if (is_hit(hit)) rest.t_max = hit.t;
  SceneHit other = closest_hit<stack_size>(worlds.shared, rest, mask, cull);
  // At equal t, a hit of the shared scene comes after, as its instance has a higher number.
  if (!is_hit(other) || (is_hit(hit) && !(other.t < hit.t))) return hit;
  other.instance += exists ? worlds.instance_count(world) : 0;
  return other;
}

/// Returns true if the ray hits anything in a world or in the shared scene. The arguments are those of
/// closest_hit.
template <u32 stack_size = default_stack_size>
COPSE_HD inline bool any_hit(const SceneWorldsView& worlds, u32 world, const Ray& ray, u32 mask = ~u32{0},
                             Cull cull = Cull::none) {
  if (world < worlds.world_count() && any_hit<stack_size>(worlds.world(world), ray, mask, cull)) return true;
  return worlds.has_shared && any_hit<stack_size>(worlds.shared, ray, mask, cull);
}

}  // namespace copse
