#pragma once

// Traces a ray through a kd-tree of triangles, on the host and in kernels. There is nothing else to link.
//
//   copse::Hit hit = copse::closest_hit(tree.view(), triangles, ray);      // a TriangleView or TriangleTable
//   bool blocked = copse::any_hit(tree.view(), triangles, ray);
//
// Cells do not overlap, so the walk visits them strictly front to back and ends in the first cell with a hit. The
// hits equal those through BVHs and grids, bit for bit: the walk treats the ray as thick as the error of the triangle
// test (trace/hit/intersect.h), and visits both sides of a plane that it passes within this error.

#include "builders/grid/layout.h"
#include "builders/kd/sah_kd_layout.h"
#include "trace/traverse.h"

namespace copse {

namespace detail {

/// A part of a ray, and the node whose cell it passes.
struct KdPart {
  double enter, leave;
  u32 node;
};

/// Trees have at most 60 levels, and each level puts off at most one child.
inline constexpr u32 kd_part_stack_size = 60;

/// Cuts a part to where origin + t * direction is between lo and hi. It is empty if leave is below enter.
COPSE_HD inline void cut_part(double origin, double direction, double lo, double hi, KdPart& part) {
  if (direction == 0) {
    if (!(origin >= lo && origin <= hi)) part.leave = -double(infinity);
    return;
  }
  const double at_lo = (lo - origin) / direction, at_hi = (hi - origin) / direction;
  part.enter = larger(part.enter, smaller(at_lo, at_hi));
  part.leave = smaller(part.leave, larger(at_lo, at_hi));
}

/// The parts of a ray that lie on the two sides of a plane.
struct KdSplitParts {
  KdPart near, far;
  bool has_near, has_far;
};

/// A ray in double precision, as thick as the error of the triangle test.
class ThickRay {
 public:
  COPSE_HD ThickRay(const Ray& ray, const Aabb& bounds) : origin_(ray.origin), direction_(ray.direction) {
    double distance = 0;
    for (u32 axis = 0; axis < 3; ++axis) {
      const double o = coordinate(origin_, axis);
      distance = larger(distance, larger(magnitude(double(coordinate(bounds.lo, axis)) - o),
                                         magnitude(double(coordinate(bounds.hi, axis)) - o)));
    }
    error_ = 2 * thickness_of_rays(distance);
    const double speed = larger(magnitude(direction_.x), larger(magnitude(direction_.y), magnitude(direction_.z)));
    time_error_ = error_ / speed + min_denormals;
  }

  /// The t of a hit may be before the ray enters the cell of the triangle, by at most this.
  COPSE_HD double time_error() const { return time_error_; }

  /// Returns the part of the ray in a box, for the root.
  COPSE_HD KdPart part_in(const Ray& ray, const Aabb& bounds) const {
    KdPart part{double(ray.t_min) - time_error_, double(ray.t_max) + time_error_, 0};
    cut_part(origin_.x, direction_.x, bounds.lo.x - error_, bounds.hi.x + error_, part);
    cut_part(origin_.y, direction_.y, bounds.lo.y - error_, bounds.hi.y + error_, part);
    cut_part(origin_.z, direction_.z, bounds.lo.z - error_, bounds.hi.z + error_, part);
    return part;
  }

  COPSE_HD KdSplitParts split(const KdPart& part, const SahKdNode& node) const {
    const u32 axis = node.axis();
    const double distance = double(node.plane()) - coordinate(origin_, axis),
                 direction = coordinate(direction_, axis);
    const bool left_is_near = direction > 0 || (direction == 0 && distance >= 0);
    KdSplitParts parts{part, part, true, true};
    parts.near.node = node.first_child() + (left_is_near ? 0 : 1);
    parts.far.node = node.first_child() + (left_is_near ? 1 : 0);
    if (direction == 0) {
      parts.has_far = magnitude(distance) <= error_;
      return parts;
    }
    const double at = distance / direction, error = error_ / magnitude(direction);
    parts.near.leave = smaller(part.leave, at + error);
    parts.far.enter = larger(part.enter, at - error);
    parts.has_near = part.enter <= parts.near.leave;
    parts.has_far = parts.far.enter <= part.leave;
    return parts;
  }

 private:
  dvec3 origin_, direction_;
  double error_, time_error_;
};

/// Walks through the cells front to back. traverse() below passes the leaf test as `visit`. Returns the last limit.
///   visit: void node(u32 id), for each inner node; bool leaf(u32 id, const SahKdNode&, float& limit), for each leaf:
///          true ends the walk
template <class Visit>
COPSE_HD inline float walk_kd_cells(const SahKdView& tree, const Ray& ray, Visit& visit) {
  float limit = ray.t_max;
  const Aabb bounds = tree.bounds.data()[0];
  if (!is_traceable(ray) || is_empty(bounds)) return limit;
  const ThickRay thick(ray, bounds);
  KdPart put_off[kd_part_stack_size];
  u32 put_off_count = 0;
  KdPart part = thick.part_in(ray, bounds);
  if (!(part.enter <= part.leave)) return limit;
  for (;;) {
    SahKdNode node = tree.nodes.data()[part.node];
    while (!node.is_leaf()) {
      visit.node(part.node);
      const KdSplitParts parts = thick.split(part, node);
      if (parts.has_near && parts.has_far) put_off[put_off_count++] = parts.far;
      part = parts.has_near ? parts.near : parts.far;
      node = tree.nodes.data()[part.node];
    }
    if (visit.leaf(part.node, node, limit)) return limit;
    do {
      if (put_off_count == 0) return limit;
      part = put_off[--put_off_count];
    } while (!(part.enter <= double(limit) + thick.time_error()));
  }
}

/// Tests the primitives of leaves, and counts.
template <class LeafTest, class Counter>
struct TestKdCells {
  const SahKdView& tree;
  LeafTest& leaf_test;
  Counter& counter;
  COPSE_HD void node(u32) { counter.count_node(); }
  COPSE_HD bool leaf(u32, const SahKdNode& node, float& limit) {
    for (u32 k = 0; k < node.count(); ++k) {
      counter.count_primitive();
      if (leaf_test(tree.primitive_ids.data()[node.first() + k], limit)) return true;
    }
    return false;
  }
};

}  // namespace detail

/// Walks through the tree front to back. Calls `leaf_test(primitive, limit)` for the primitives of every cell that the
/// ray passes at or before `limit`, several times for primitives in several cells. The limit starts at the ray's
/// t_max. Returns the last limit. closest_hit and any_hit of trace/traverse.h call it. `stack_size` is not needed.
///   leaf_test: as for traverse() in trace/traverse.h
template <u32 stack_size = default_stack_size, TakesIds LeafTest, class Counter>
COPSE_HD inline float traverse(const SahKdView& tree, const Ray& ray, LeafTest& leaf_test, Counter& counter) {
  detail::TestKdCells<LeafTest, Counter> visit{tree, leaf_test, counter};
  return detail::walk_kd_cells(tree, ray, visit);
}

}  // namespace copse
