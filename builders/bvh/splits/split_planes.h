#pragma once

// The parts of a triangle, and the boxes around them.
//
// A box is split at the plane of the Morton curve that halves the largest cell: the first bit in which the cells of
// its two corners differ. All triangles are split at the same planes, and the nodes of an LBVH are too, so that
// parts on either side of a plane come into different nodes.
//
// A part is found by its number alone: at each plane, the parts go to both sides in proportion to the lengths of
// their boxes. So a thread per part follows one path, and no thread keeps a stack.

#include "builders/geometry/morton.h"
#include "builders/geometry/triangle.h"
#include "builders/geometry/vector_rn.h"

namespace copse::detail {

/// Half the length of a box along an axis, so that it is finite.
COPSE_HD inline float half_length(const Aabb& box, u32 axis) {
  return sub_rn(mul_rn(coordinate(box.hi, axis), 0.5f), mul_rn(coordinate(box.lo, axis), 0.5f));
}

COPSE_HD inline float longest_half(const Aabb& box) {
  return larger(half_length(box, 0), larger(half_length(box, 1), half_length(box, 2)));
}

struct SplitPlane {
  static constexpr u32 no_axis = 3;

  u32 axis;
  u32 turn;  // how often the scene was halved before, along its longest axis
  float at;

  COPSE_HD bool is_there() const { return axis != no_axis; }
};

/// Returns the first plane between the cells along an axis that goes through the inside of a box. There is none if the
/// box is in one cell.
COPSE_HD inline SplitPlane plane_across(const MortonAxis& cells, u32 turn_count, const Aabb& box, u32 axis) {
  const float lo = coordinate(box.lo, axis), hi = coordinate(box.hi, axis);
  u32 first = cells.cell(lo), last = cells.cell(hi);
  while (first != last) {
    const u32 bit = 31 - leading_zeros(first ^ last), begin = last >> bit << bit;
    const float at = mul_rn(add_rn(cells.half_lo, div_rn(float(begin), cells.scale)), 2.0f);
    if (lo < at && at < hi) return {axis, turn_count - 1 - bit, at};
    // The plane is a face of the box, as it is after a split there: the box ends before it, or begins behind it.
    (at >= hi ? last : first) = at >= hi ? begin - 1 : begin;
  }
  return {SplitPlane::no_axis, ~u32{0}, 0};
}

/// Returns the plane at which a box is split. Of two planes of a turn, the one across the longer axis of the box comes
/// first.
COPSE_HD inline SplitPlane split_plane(const MortonGrid& grid, const Aabb& box) {
  SplitPlane plane{SplitPlane::no_axis, ~u32{0}, 0};
  for (u32 axis = 0; axis < 3; ++axis) {
    const MortonAxis& cells = axis == 0 ? grid.x : axis == 1 ? grid.y : grid.z;
    const SplitPlane own = plane_across(cells, grid.turns.count, box, axis);
    const bool is_longer = plane.is_there() && half_length(box, axis) > half_length(box, plane.axis);
    if (own.turn < plane.turn || (own.is_there() && own.turn == plane.turn && is_longer)) plane = own;
  }
  return plane;
}

/// The boxes around the parts of a triangle on both sides of a plane.
struct HalfBoxes {
  Aabb below = Aabb::empty(), above = Aabb::empty();

  COPSE_HD HalfBoxes(const Triangle& triangle, const SplitPlane& plane) {
    add_edge(triangle.a, triangle.b, plane);
    add_edge(triangle.b, triangle.c, plane);
    add_edge(triangle.c, triangle.a, plane);
  }

 private:
  /// Adds the start of an edge, and the point where the edge goes through the plane.
  COPSE_HD void add_edge(const vec3& from, const vec3& to, const SplitPlane& plane) {
    const float begin = coordinate(from, plane.axis), end = coordinate(to, plane.axis);
    if (begin <= plane.at) below = merge(below, {from, from});
    if (begin >= plane.at) above = merge(above, {from, from});
    if (!((begin < plane.at && end > plane.at) || (begin > plane.at && end < plane.at))) return;
    const double part = div_rn(sub_rn(double(plane.at), double(begin)), sub_rn(double(end), double(begin)));
    const dvec3 start = to_double(from);
    const dvec3 point = add_rn(start, mul_rn(sub_rn(to_double(to), start), part));
    vec3 crossing = clean_point(vec3(float(point.x), float(point.y), float(point.z)));
    set_coordinate(crossing, plane.axis, add_rn(plane.at, 0.0f));
    below = merge(below, {crossing, crossing});
    above = merge(above, {crossing, crossing});
  }
};

/// Makes a box of a part larger by some units in the last place of the triangle's largest coordinate, but not larger
/// than the triangle's own box. So a ray that hits the triangle to within rounding also hits the box of a part.
COPSE_HD inline Aabb padded_part(const Aabb& part, const Aabb& whole) {
  constexpr float units = 1.0f / (1u << 20);
  const float reach = larger(largest_component(whole.lo), largest_component(whole.hi));
  const vec3 pad(mul_rn(reach, units));
  return intersection({clean_point(sub_rn(part.lo, pad)), clean_point(add_rn(part.hi, pad))}, whole);
}

/// Returns the box around part `number` of `count` parts of a triangle. It is empty if there are fewer parts, because
/// no plane goes through them any more, or if the triangle cannot be in a tree. The boxes of all parts together cover
/// the triangle.
COPSE_HD inline Aabb part_box(const MortonGrid& grid, const Triangle& triangle, u32 number, u32 count) {
  const Aabb whole = bounds(triangle);
  if (count == 1 || is_empty(whole)) return number == 0 ? whole : Aabb::empty();
  Aabb box = whole;
  while (count > 1) {
    const SplitPlane plane = split_plane(grid, box);
    if (!plane.is_there()) return number == 0 ? padded_part(box, whole) : Aabb::empty();
    const HalfBoxes halves(triangle, plane);
    const Aabb below = intersection(box, halves.below), above = intersection(box, halves.above);
    if (is_empty(below) || is_empty(above)) {
      box = is_empty(below) ? above : below;  // smaller than before, since the plane went through it
      continue;
    }
    const float own = mul_rn(longest_half(below), 0.5f), sum = add_rn(own, mul_rn(longest_half(above), 0.5f));
    const float share = sum > 0 ? div_rn(own, sum) : 0.5f;
    const u32 rounded = u32(add_rn(mul_rn(share, float(count)), 0.5f));
    const u32 below_count = smaller(larger(rounded, 1u), count - 1);
    const bool goes_above = number >= below_count;
    box = goes_above ? above : below;
    number -= goes_above ? below_count : 0;
    count = goes_above ? count - below_count : below_count;
  }
  return padded_part(box, whole);
}

}  // namespace copse::detail
