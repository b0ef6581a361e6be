#pragma once

// The points of a kd-tree that are near a point, for the host and for kernels, with nothing else to link.
//
//   copse::for_each_within(tree.view(), point, radius, visit);   // bool visit(const KdPoint&, float square)
//   copse::u32 count = copse::count_within(tree.view(), point, radius);
//   copse::u32 found = copse::k_nearest_points(tree.view(), point, copse::infinity, k, neighbours);
//
// For batches: queries/point_neighbours.h.

#include "builders/points/kd_layout.h"
#include "queries/near_points.h"

namespace copse {

namespace detail {

/// A subtree to visit later, and the distance of the point from its cell along each axis. So the distance of the cell
/// is that of its nearest corner, and not only that of the last plane.
struct KdPutOff {
  vec3 off;
  u32 node;
};

/// Trees have at most 31 levels, and each level puts off at most one subtree.
inline constexpr u32 kd_stack_size = 31;

/// The square of the distance of a cell. It uses the operations of near_square. The offsets of a point in the cell
/// are at least as large, and rounding is monotonic, so the result is never above the square of such a point.
COPSE_HD inline float cell_square(const vec3& off) {
  return near_square(off, vec3(0));
}

/// Calls `visit(point, square)` for the points of the tree whose square is at most visit.limit(), the near side of
/// each node first.
///   visit: float limit() const: may fall; bool operator()(const KdPoint&, float square): true ends the search
template <class Visit>
COPSE_HD inline void walk_kd_tree(const KdTreeView& tree, const vec3& from, Visit& visit) {
  const KdPoint* nodes = tree.nodes.data();
  const u32 count = u32(tree.counts.data()[0].point_count);
  KdPutOff put_off[kd_stack_size];
  u32 put_off_count = 0;
  KdPutOff at{vec3(0), 0};
  u32 axis = 0;
  for (;;) {
    while (at.node < count) {
      const KdPoint point = nodes[at.node];
      const float square = near_square(point.position, from);
      if (square <= visit.limit() && visit(point, square)) return;

      // Go on with the near side. The cell of the far side begins at the plane, and points may lie on the plane.
      const float gap = sub_rn(coordinate(from, axis), coordinate(point.position, axis));
      const u32 left = 2 * at.node + 1;
      KdPutOff far{at.off, gap < 0 ? left + 1 : left};
      set_coordinate(far.off, axis, magnitude(gap));
      if (far.node < count && cell_square(far.off) <= visit.limit()) put_off[put_off_count++] = far;
      at.node = gap < 0 ? left : left + 1;
      axis = axis == 2 ? 0 : axis + 1;
    }
    do {
      if (put_off_count == 0) return;
      at = put_off[--put_off_count];
    } while (!(cell_square(at.off) <= visit.limit()));
    axis = kd_axis(kd_level(at.node));
  }
}

/// Passes the points within a limit to `visit`.
template <class Visit>
struct VisitKdWithin {
  Visit& visit;
  float square_limit;
  COPSE_HD float limit() const { return square_limit; }
  COPSE_HD bool operator()(const KdPoint& point, float square) { return visit(point, square); }
};

/// Adds points to `keep`.
template <class Keep>
struct KeepKdPoints {
  Keep& keep;
  COPSE_HD float limit() const { return keep.limit(); }
  COPSE_HD bool operator()(const KdPoint& point, float square) {
    keep.add(square, point.id);
    return false;
  }
};

/// Adds the points around `point` to `keep` until no other point can be near enough. The overload for hash grids
/// defines `keep`.
template <class Keep>
COPSE_HD inline void keep_nearest(const KdTreeView& tree, const vec3& point, Keep& keep) {
  if (!is_finite(point) || !(keep.limit() >= 0)) return;
  KeepKdPoints<Keep> visit{keep};
  walk_kd_tree(tree, point, visit);
}

}  // namespace detail

/// Calls `visit(point, square)` for every point of the tree within `radius`: the square of its distance, as
/// near_square computes it, is at most the square of the radius. Visits none if the point or the radius is NaN, the
/// point is infinite or the radius is negative. The order of the points depends only on the tree and the query, so it
/// is the same on all backends.
///   visit: bool operator()(const KdPoint& point, float square); ends the search by returning true
///   tree:  in memory that the caller can read: in a kernel, the device's
template <class Visit>
COPSE_HD inline void for_each_within(const KdTreeView& tree, const vec3& point, float radius, Visit& visit) {
  const float limit = detail::square_limit(radius);
  if (!is_finite(point) || !(limit >= 0)) return;
  detail::VisitKdWithin<Visit> within{visit, limit};
  detail::walk_kd_tree(tree, point, within);
}

/// Returns how many points of the tree are within `radius`, as for_each_within defines it.
COPSE_HD inline u32 count_within(const KdTreeView& tree, const vec3& point, float radius) {
  detail::CountPoints count;
  for_each_within(tree, point, radius, count);
  return count.count;
}

/// Stores the `k` points of the tree nearest to a point and returns how many there are. None is farther than
/// `max_distance`. They are sorted by (square of the distance, id), nearest first. Finds none if the point or the
/// limit is NaN, the point is infinite or the limit is negative.
///   neighbours: room for k. Elements past the returned number are not written; the search keeps a heap there
///   tree:       in memory that the caller can read: in a kernel, the device's
COPSE_HD inline u32 k_nearest_points(const KdTreeView& tree, const vec3& point, float max_distance, u32 k,
                                     PointNeighbour* neighbours) {
  if (k == 0) return 0;
  detail::NearestInHeap nearest(neighbours, k, detail::square_limit(max_distance));
  detail::keep_nearest(tree, point, nearest);
  return nearest.finish(neighbours);
}

}  // namespace copse
