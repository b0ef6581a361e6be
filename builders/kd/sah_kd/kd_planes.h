#pragma once

// The choice of a plane: large nodes cut off empty space or are halved, small nodes take the best face of a box.

#include "builders/kd/sah_kd/kd_level.h"

namespace copse::detail {

/// Nodes with more references are large: counting for each face would take too long.
inline constexpr u32 max_small_kd_node = 64;

/// The number in place of a cost and a face, if there is none. It is above all others.
inline constexpr u64 no_kd_face = ~u64{0};

struct KdSides {
  bool left, right;
};

/// Returns on which sides of a plane a box lies. A box in the plane is on the left.
COPSE_HD inline KdSides kd_sides(const Aabb& box, u32 axis, float plane) {
  const bool right = coordinate(box.hi, axis) > plane;
  return {coordinate(box.lo, axis) < plane || !right, right};
}

/// Returns the plane of a large node: the one that cuts off most empty space if that is a fourth of the cell along
/// an axis, else the middle of the longest axis of the box of its triangles.
COPSE_HD inline KdPlan plan_large_kd_node(const Aabb& cell, const Aabb& box) {
  constexpr float min_share = 0.25f;
  KdPlan plan{0, SahKdNode::leaf_axis, 0, 0};
  float most = min_share, longest = 0;
  for (u32 axis = 0; axis < 3; ++axis) {
    const float lo = coordinate(cell.lo, axis), hi = coordinate(cell.hi, axis);
    const float box_lo = coordinate(box.lo, axis), box_hi = coordinate(box.hi, axis);
    const float length = hi * 0.5f - lo * 0.5f;
    const float before = (box_lo * 0.5f - lo * 0.5f) / length, behind = (hi * 0.5f - box_hi * 0.5f) / length;
    if (before > most) most = before, plan = {box_lo, axis, 0, 0};
    if (behind > most) most = behind, plan = {box_hi, axis, 0, 0};
  }
  if (most > min_share) return plan;
  for (u32 axis = 0; axis < 3; ++axis) {
    const float lo = coordinate(box.lo, axis), hi = coordinate(box.hi, axis);
    const float length = hi * 0.5f - lo * 0.5f, middle = lo * 0.5f + hi * 0.5f;
    if (length > longest && lo < middle && middle < hi) longest = length, plan = {middle, axis, 0, 0};
  }
  return plan;
}

/// Returns the cost of dividing a cell, in tests of triangles. A side without triangles makes it a fifth cheaper, since
/// rays pass it at once.
COPSE_HD inline float kd_cost(const Aabb& cell, u32 axis, float plane, u32 left_count, u32 right_count,
                              float traversal_cost) {
  Aabb left = cell, right = cell;
  set_coordinate(left.hi, axis, plane);
  set_coordinate(right.lo, axis, plane);
  const double weighted = half_area(left) * double(left_count) + half_area(right) * double(right_count);
  const double cost = double(traversal_cost) + weighted / half_area(cell);
  return float(left_count == 0 || right_count == 0 ? 0.8 * cost : cost);
}

/// Returns the cheapest of the six faces of box `of` inside the cell, or no_kd_face.
///
///   63 .. 32                   8 .. 3   2 .. 0
///   bits of the cost           box      face: 2 axis + (0 for lo, 1 for hi)
COPSE_HD inline u64 best_kd_face(const Aabb& cell, const Aabb* boxes, u32 count, u32 of, float traversal_cost) {
  u64 best = no_kd_face;
  for (u32 face = 0; face < 6; ++face) {
    const u32 axis = face / 2;
    const float plane = coordinate(face % 2 == 0 ? boxes[of].lo : boxes[of].hi, axis);
    if (!(coordinate(cell.lo, axis) < plane && plane < coordinate(cell.hi, axis))) continue;
    u32 left = 0, right = 0;
    for (u32 k = 0; k < count; ++k) {
      const KdSides sides = kd_sides(boxes[k], axis, plane);
      left += u32(sides.left);
      right += u32(sides.right);
    }
    const float cost = kd_cost(cell, axis, plane, left, right, traversal_cost);
    if (is_finite(cost)) best = smaller(best, u64{bits_of(cost)} << 32 | u64{of} << 3 | face);
  }
  return best;
}

/// Returns the plan of a small node: its cheapest face, if that is cheaper than to test all its triangles.
COPSE_HD inline KdPlan plan_small_kd_node(u64 best, const Aabb* boxes, u32 count) {
  if (best == no_kd_face || !(float_from_bits(u32(best >> 32)) < float(count))) {
    return {0, SahKdNode::leaf_axis, 0, 0};
  }
  const u32 face = u32(best) & 7, of = u32(best) >> 3;
  return {coordinate(face % 2 == 0 ? boxes[of].lo : boxes[of].hi, face / 2), face / 2, 0, 0};
}

}  // namespace copse::detail
