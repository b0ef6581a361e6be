#pragma once

// The points of a hierarchy of boxes that are near a point, for the host and for kernels, with nothing else to link.
//
//   copse::for_each_within(bvh.view(), point, radius, visit);   // bool visit(const NumberedPoint&, float square)
//   copse::u32 count = copse::count_within(bvh.view(), point, radius);
//   copse::u32 found = copse::k_nearest_points(bvh.view(), point, copse::infinity, k, neighbours);
//
// For batches: queries/point_neighbours.h.

#include "builders/points/point_bvh_layout.h"
#include "queries/near_points.h"

namespace copse {

namespace detail {

/// The square of the distance from a point to a box. It uses the operations of near_square. The offsets of a point in
/// the box are at least as large, and rounding is monotonic, so the result is never above the square of such a point.
COPSE_HD inline float box_square(const vec3& from, const vec3& lo, const vec3& hi) {
  const vec3 off(max_number(max_number(sub_rn(lo.x, from.x), sub_rn(from.x, hi.x)), 0.0f),
                 max_number(max_number(sub_rn(lo.y, from.y), sub_rn(from.y, hi.y)), 0.0f),
                 max_number(max_number(sub_rn(lo.z, from.z), sub_rn(from.z, hi.z)), 0.0f));
  return near_square(off, vec3(0));
}

/// A node to visit later, and the square of its distance.
struct PutOffNode {
  u32 node;
  float square;
};

/// Leaves are at most nine levels below the root. Each level puts off seven nodes at most, and the last one eight.
inline constexpr u32 point_stack_size = 7 * 9 + 1;

/// Pushes the children of a node that are within the limit on the stack, the nearest on top. Returns the new size.
COPSE_HD inline u32 put_off_children(const PointBvhView& bvh, const PointBvhShape& shape, u32 node,
                                     const vec3& from, float limit, PutOffNode* stack, u32 size) {
  const u32 bottom = size, first = 8 * node + 1, count = shape.child_count(node);
  for (u32 k = 0; k < count; ++k) {
    const PointNode child = bvh.nodes.data()[first + k];
    const float square = box_square(from, child.lo, child.hi);
    if (!(square <= limit)) continue;
    u32 at = size++;
    for (; at > bottom && stack[at - 1].square < square; --at) stack[at] = stack[at - 1];
    stack[at] = {first + k, square};
  }
  return size;
}

/// Calls `visit(point, square)` for the points of a leaf whose square is at most visit.limit(). Returns true if the
/// visit ended the search.
template <class Visit>
COPSE_HD inline bool visit_leaf(const PointBvhView& bvh, u64 point_count, u32 leaf, const vec3& from,
                                Visit& visit) {
  const u64 end = smaller((u64{leaf} + 1) * point_leaf_size, point_count);
  for (u64 i = u64{leaf} * point_leaf_size; i < end; ++i) {
    const NumberedPoint point = bvh.points.data()[i];
    const float square = near_square(point.position, from);
    if (square <= visit.limit() && visit(point, square)) return true;
  }
  return false;
}

/// Calls `visit(point, square)` for the points of the tree whose square is at most visit.limit(), near nodes first.
///   visit: float limit() const: may fall; bool operator()(const NumberedPoint&, float square): true ends the search
template <class Visit>
COPSE_HD inline void walk_point_bvh(const PointBvhView& bvh, const vec3& from, Visit& visit) {
  const u64 point_count = bvh.counts.data()[0].point_count;
  if (point_count == 0) return;
  const PointBvhShape shape(point_count);
  PutOffNode stack[point_stack_size];
  stack[0] = {0, 0};
  u32 size = 1;
  while (size > 0) {
    const PutOffNode at = stack[--size];
    if (!(at.square <= visit.limit())) continue;
    if (at.node < shape.first_leaf()) {
      size = put_off_children(bvh, shape, at.node, from, visit.limit(), stack, size);
    } else if (visit_leaf(bvh, point_count, at.node - shape.first_leaf(), from, visit)) {
      return;
    }
  }
}

/// Passes the points within a limit to `visit`.
template <class Visit>
struct VisitBvhWithin {
  Visit& visit;
  float square_limit;
  COPSE_HD float limit() const { return square_limit; }
  COPSE_HD bool operator()(const NumberedPoint& point, float square) { return visit(point, square); }
};

/// Adds points to `keep`.
template <class Keep>
struct KeepBvhPoints {
  Keep& keep;
  COPSE_HD float limit() const { return keep.limit(); }
  COPSE_HD bool operator()(const NumberedPoint& point, float square) {
    keep.add(square, point.id);
    return false;
  }
};

/// Adds the points around `point` to `keep` until no other point can be near enough. The overload for hash grids
/// defines `keep`.
template <class Keep>
COPSE_HD inline void keep_nearest(const PointBvhView& bvh, const vec3& point, Keep& keep) {
  if (!is_finite(point) || !(keep.limit() >= 0)) return;
  KeepBvhPoints<Keep> visit{keep};
  walk_point_bvh(bvh, point, visit);
}

}  // namespace detail

/// Calls `visit(point, square)` for every point of the tree within `radius`: the square of its distance, as
/// near_square computes it, is at most the square of the radius. Visits none if the point or the radius is NaN, the
/// point is infinite or the radius is negative. The order of the points depends only on the tree and the query, so it
/// is the same on all backends.
///   visit: bool operator()(const NumberedPoint& point, float square); ends the search by returning true
///   bvh:   in memory that the caller can read: in a kernel, the device's
template <class Visit>
COPSE_HD inline void for_each_within(const PointBvhView& bvh, const vec3& point, float radius, Visit& visit) {
  const float limit = detail::square_limit(radius);
  if (!is_finite(point) || !(limit >= 0)) return;
  detail::VisitBvhWithin<Visit> within{visit, limit};
  detail::walk_point_bvh(bvh, point, within);
}

/// Returns how many points of the tree are within `radius`, as for_each_within defines it.
COPSE_HD inline u32 count_within(const PointBvhView& bvh, const vec3& point, float radius) {
  detail::CountPoints count;
  for_each_within(bvh, point, radius, count);
  return count.count;
}

/// Stores the `k` points of the tree nearest to a point and returns how many there are. None is farther than
/// `max_distance`. They are sorted by (square of the distance, id), nearest first. Finds none if the point or the
/// limit is NaN, the point is infinite or the limit is negative.
///   neighbours: room for k. Elements past the returned number are not written; the search keeps a heap there
///   bvh:        in memory that the caller can read: in a kernel, the device's
COPSE_HD inline u32 k_nearest_points(const PointBvhView& bvh, const vec3& point, float max_distance, u32 k,
                                     PointNeighbour* neighbours) {
  if (k == 0) return 0;
  detail::NearestInHeap nearest(neighbours, k, detail::square_limit(max_distance));
  detail::keep_nearest(bvh, point, nearest);
  return nearest.finish(neighbours);
}

}  // namespace copse
