#pragma once

// Questions about points and regions to a copse::Accel, one at a time, on the host and in kernels. There is nothing
// else to link. For batches: accel/accel_queries.h.
//
//   copse::NearestPoint nearest = copse::nearest_point(accel.view(), point);
//
// The functions of the same names in queries/nearest_point.h, k_nearest.h, point_inside.h and overlap.h define the
// answers. Masks of views have no effect.

#include "accel/accel_view.h"
#include "queries/k_nearest.h"
#include "queries/nearest_point.h"
#include "queries/overlap.h"
#include "queries/point_inside.h"
#include "queries/wide_query_walk.h"

namespace copse {

/// Returns the nearest point of all triangles that are no farther than `max_distance`.
template <u32 stack_size = detail::walk_stack_size>
COPSE_HD inline NearestPoint nearest_point(const AccelView& accel, const vec3& point,
                                           float max_distance = infinity) {
  return nearest_point<stack_size>(accel.tree, accel.triangles, point, max_distance);
}

/// Stores the `k` triangles nearest to a point, nearest first, and returns how many there are.
///   neighbours: room for k
template <u32 stack_size = detail::walk_stack_size>
COPSE_HD inline u32 k_nearest(const AccelView& accel, const vec3& point, float max_distance, u32 k,
                              Neighbour* neighbours) {
  return k_nearest<stack_size>(accel.tree, accel.triangles, point, max_distance, k, neighbours);
}

/// Returns true if a point is inside the closed mesh.
template <u32 stack_size = detail::walk_stack_size>
COPSE_HD inline bool is_inside(const AccelView& accel, const vec3& point) {
  return is_inside<stack_size>(accel.tree, accel.triangles, point);
}

/// Calls `visit(primitive)` for every triangle that touches the region. A primitive id counts through all views.
///   visit: bool operator()(u32 primitive); ends the search by returning true
template <u32 stack_size = detail::walk_stack_size, class Region, class Visit>
COPSE_HD inline void for_each_overlap(const AccelView& accel, const Region& region, Visit& visit) {
  for_each_overlap<stack_size>(accel.tree, accel.triangles, region, visit);
}

/// Returns how many triangles touch the region.
template <u32 stack_size = detail::walk_stack_size, class Region>
COPSE_HD inline u32 count_overlaps(const AccelView& accel, const Region& region) {
  return count_overlaps<stack_size>(accel.tree, accel.triangles, region);
}

/// Returns true if any triangle touches the region.
template <u32 stack_size = detail::walk_stack_size, class Region>
COPSE_HD inline bool any_overlap(const AccelView& accel, const Region& region) {
  return any_overlap<stack_size>(accel.tree, accel.triangles, region);
}

}  // namespace copse
