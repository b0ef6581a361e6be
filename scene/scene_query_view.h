#pragma once

// Questions about points and regions to a copse::Scene, one at a time, on the host and in kernels. There is nothing else
// to link. For batches: scene/scene_queries.h.
//
//   copse::SceneNearest nearest = copse::nearest_point(scene.view(), point);
//
// The answers are those of one mesh of all triangles of all instances, each vertex placed by its instance's transform
// and rounded once; scene/queries/placed_triangles.h says how. They do not depend on the trees, apart from the order
// of overlaps. The functions of the same names in queries/nearest_point.h, k_nearest.h, point_inside.h and overlap.h
// define the answers. Masks of views have no effect; `mask` selects instances that share a bit with it.

#include <concepts>

#include "scene/queries/instance_queries.h"

namespace copse {

/// Returns the nearest point of all triangles of all instances that are no farther than `max_distance`. Among equal
/// squares of the distance, the smallest (instance, primitive id through all views) wins.
///   scene: in memory that the caller can read; in a kernel that is device memory
template <u32 stack_size = detail::walk_stack_size>
COPSE_HD inline SceneNearest nearest_point(const SceneView& scene, const vec3& point,
                                           float max_distance = infinity, u32 mask = ~u32{0}) {
  const float limit = detail::square_limit(max_distance);
  detail::NearestPlaced nearest{point, {vec3(0.0f), limit, 0, 0}};
  detail::NearInstances<stack_size, detail::NearestPlaced> test{scene.parts, point, mask, nearest};
  if (is_finite(point)) walk_nearest_first<stack_size>(scene.tree, SquareDistance{point}, limit, test);
  if (nearest.instance == invalid_id) {
    return {vec3(0.0f), infinity, invalid_id, invalid_id, 0, 0, invalid_id};
  }
  const auto triangles =
      detail::triangles_of(scene.parts.accels[scene.parts.instances[nearest.instance].accel].triangles);
  return {add_rn(point, nearest.best.offset),
          sqrt_rn(nearest.best.square),
          triangles.local_id(nearest.record_at),
          triangles.geometry(nearest.record_at),
          nearest.best.u,
          nearest.best.v,
          nearest.instance};
}

/// Stores the `k` triangles nearest to a point, nearest first, and returns how many there are. They are sorted by (square
/// of the distance, instance, primitive id through all views).
///   neighbours: room for k. Elements past the returned number are not written
template <u32 stack_size = detail::walk_stack_size>
COPSE_HD inline u32 k_nearest(const SceneView& scene, const vec3& point, float max_distance, u32 k,
                              SceneNeighbour* neighbours, u32 mask = ~u32{0}) {
  if (k == 0 || !is_finite(point)) return 0;
  const float limit = detail::square_limit(max_distance);
  detail::NearPlaced near{point, detail::NeighbourHeap<SceneNeighbour>(neighbours, k), neighbours};
  detail::NearInstances<stack_size, detail::NearPlaced> test{scene.parts, point, mask, near};
  walk_nearest_first<stack_size>(scene.tree, SquareDistance{point}, limit, test);
  near.heap.sort();
  for (u32 i = 0; i < near.heap.size(); ++i) {
    const SceneNeighbour found = neighbours[i];
    const auto triangles =
        detail::triangles_of(scene.parts.accels[scene.parts.instances[found.instance].accel].triangles);
    neighbours[i] = {sqrt_rn(found.distance), triangles.local_id(found.geometry),
                     triangles.geometry(found.geometry), found.instance};
  }
  return near.heap.size();
}

/// Returns true if a point is inside any instance. All instances that may contain it must be closed meshes.
template <u32 stack_size = detail::walk_stack_size>
COPSE_HD inline bool is_inside(const SceneView& scene, const vec3& point, u32 mask = ~u32{0}) {
  detail::InsideInstances<stack_size> test{scene.parts, point, mask};
  detail::AxisRay ray;
  if (!detail::find_way_out(point, root_box(scene.tree), ray)) return false;
  if (scene.parts.is_opened) {
    // The boxes of an opened instance may not contain its inside. But a ray that leaves the inside goes through one
    // of them.
    walk_overlaps<stack_size>(scene.tree, ray, test);
  } else {
    const Aabb at{point, point};
    walk_overlaps<stack_size>(scene.tree, detail::OverlapsBox<Aabb>{at}, test);
  }
  return test.found;
}

/// Calls `visit(overlap)` for every triangle of every instance that touches the region, in the order of the trees.
///   visit: bool operator()(const SceneOverlap&); ends the search by returning true
template <u32 stack_size = detail::walk_stack_size, class Region, class Visit>
COPSE_HD inline void for_each_overlap(const SceneView& scene, const Region& region, Visit& visit,
                                      u32 mask = ~u32{0}) {
  if (!has_points(region)) return;
  detail::OverlapInstances<stack_size, Region, Visit> test{scene.parts, region, mask, visit};
  walk_overlaps<stack_size>(scene.tree, detail::OverlapsBox<Region>{region}, test);
}

/// Returns how many triangles of all instances touch the region.
///   mask: of any integral type. Otherwise the overload for a tree, its triangles and a region would be called
template <u32 stack_size = detail::walk_stack_size, class Region, std::integral Mask = u32>
COPSE_HD inline u32 count_overlaps(const SceneView& scene, const Region& region, Mask mask = ~u32{0}) {
  detail::CountSceneVisits visits;
  for_each_overlap<stack_size>(scene, region, visits, u32(mask));
  return visits.count;
}

/// Returns true if any triangle of any instance touches the region.
template <u32 stack_size = detail::walk_stack_size, class Region, std::integral Mask = u32>
COPSE_HD inline bool any_overlap(const SceneView& scene, const Region& region, Mask mask = ~u32{0}) {
  detail::EndSceneAtOnce visit;
  for_each_overlap<stack_size>(scene, region, visit, u32(mask));
  return visit.found;
}

}  // namespace copse
