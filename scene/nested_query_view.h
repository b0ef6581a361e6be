#pragma once

// Questions about points and regions to a copse::NestedScene, one at a time, on the host and in kernels. There is nothing
// else to link. For batches: scene/nested_queries.h.
//
//   copse::NestedNearest nearest = copse::nearest_point(forest.view(), point);
//   u32 tree = forest.view().id_of(nearest.path, 0);
//
// The answers are those of one mesh of all triangles of all instances. Each vertex is placed by the instances of its
// path, the innermost one first, and rounded once per level. So if a scene places nothing but accels, its answers are
// those of a Scene, bit for bit. The answers do not depend on the trees, apart from the order of overlaps. `mask`
// selects instances that share a bit with it, on each level. Masks of views have no effect.

#include <concepts>

#include "scene/nested/nested_searches.h"

namespace copse {

/// Returns the nearest point of all triangles of all instances that are no farther than `max_distance`. Among equal
/// squares of the distance, the smallest (path, primitive id through all views) wins.
///   scene:      in memory that the caller can read; in a kernel that is device memory
///   stack_size: stack entries of each level, a power of two. A smaller stack costs time for deep trees, never answers
template <u32 stack_size = detail::nested_walk_stack_size>
COPSE_HD inline NestedNearest nearest_point(const NestedSceneView& scene, const vec3& point,
                                            float max_distance = infinity, u32 mask = ~u32{0}) {
  const float limit = detail::square_limit(max_distance);
  detail::NearestNested<stack_size> search{point, {vec3(0.0f), limit, 0, 0}};
  if (is_finite(point)) {
    detail::visit_placed_meshes<stack_size>(scene, mask, detail::LevelDistance{point}, limit, search);
  }
  NestedNearest nearest = NestedNearest::none();
  if (search.accel == nullptr) return nearest;
  const auto triangles = detail::triangles_of(search.accel->triangles);
  nearest.point = add_rn(point, search.best.offset);
  nearest.distance = sqrt_rn(search.best.square);
  nearest.primitive = triangles.local_id(search.at);
  nearest.geometry = triangles.geometry(search.at);
  nearest.u = search.best.u;
  nearest.v = search.best.v;
  for (u32 k = 0; k < max_instance_levels; ++k) nearest.path[k] = search.name.path[k];
  return nearest;
}

/// Stores the `k` triangles nearest to a point, nearest first, and returns how many there are. They are sorted by (square
/// of the distance, path, primitive id through all views).
///   neighbours: room for k. Elements past the returned number are not written
template <u32 stack_size = detail::nested_walk_stack_size>
COPSE_HD inline u32 k_nearest(const NestedSceneView& scene, const vec3& point, float max_distance, u32 k,
                              NestedNeighbour* neighbours, u32 mask = ~u32{0}) {
  if (k == 0 || !is_finite(point)) return 0;
  const float limit = detail::square_limit(max_distance);
  detail::NearNested<stack_size> near{point, detail::NeighbourHeap<NestedNeighbour>(neighbours, k), neighbours};
  detail::visit_placed_meshes<stack_size>(scene, mask, detail::LevelDistance{point}, limit, near);
  near.heap.sort();
  for (u32 i = 0; i < near.heap.size(); ++i) {
    NestedNeighbour& found = neighbours[i];
    const auto triangles = scene.triangles_of(found.path);
    const u32 at = found.geometry;
    found.distance = sqrt_rn(found.distance);
    found.primitive = triangles.local_id(at);
    found.geometry = triangles.geometry(at);
  }
  return near.heap.size();
}

/// Returns true if a point is inside any mesh, as placed by its path of instances. All meshes that may contain it
/// must be closed.
template <u32 stack_size = detail::nested_walk_stack_size>
COPSE_HD inline bool is_inside(const NestedSceneView& scene, const vec3& point, u32 mask = ~u32{0}) {
  detail::InsideNested<stack_size> search{point};
  detail::AxisRay ray;
  if (!detail::find_way_out(point, root_box(scene.top.tree), ray)) return false;
  detail::visit_placed_meshes<stack_size>(scene, mask, detail::LevelInside{point, ray}, 0, search);
  return search.found;
}

/// Calls `visit(overlap)` for every triangle of every instance that touches the region, in the order of the trees.
///   visit: bool operator()(const NestedOverlap&); ends the search by returning true
template <u32 stack_size = detail::nested_walk_stack_size, class Region, class Visit>
COPSE_HD inline void for_each_overlap(const NestedSceneView& scene, const Region& region, Visit& visit,
                                      u32 mask = ~u32{0}) {
  if (!has_points(region)) return;
  detail::OverlapNested<stack_size, Region, Visit> search{region, visit};
  detail::visit_placed_meshes<stack_size>(scene, mask, detail::LevelOverlap<Region>{region}, 0, search);
}

/// Returns how many triangles of all instances touch the region.
///   mask: of any integral type. Otherwise the overload for a tree, its triangles and a region would be called
template <u32 stack_size = detail::nested_walk_stack_size, class Region, std::integral Mask = u32>
COPSE_HD inline u32 count_overlaps(const NestedSceneView& scene, const Region& region, Mask mask = ~u32{0}) {
  detail::CountNestedVisits visits;
  for_each_overlap<stack_size>(scene, region, visits, u32(mask));
  return visits.count;
}

/// Returns true if any triangle of any instance touches the region.
template <u32 stack_size = detail::nested_walk_stack_size, class Region, std::integral Mask = u32>
COPSE_HD inline bool any_overlap(const NestedSceneView& scene, const Region& region, Mask mask = ~u32{0}) {
  detail::EndNestedAtOnce visit;
  for_each_overlap<stack_size>(scene, region, visit, u32(mask));
  return visit.found;
}

}  // namespace copse
