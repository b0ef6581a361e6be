#pragma once

// Separating-axis tests of two convex shapes, in double precision. The tests never separate shapes that touch.
//
// If the intervals of two shapes on any axis are disjoint, the shapes are disjoint, whatever rounding did to the axis
// itself. Rounding moves the ends of an interval by at most 5 * 2^-53 of the axis times the largest coordinate. So
// two intervals count as disjoint only if they are 2^-48 of that product apart.

#include "builders/geometry/vector_rn.h"

namespace copse::detail {

struct Interval {
  double lo, hi;
};

COPSE_HD inline Interval interval_of(double a, double b, double c) {
  return {smaller(a, smaller(b, c)), larger(a, larger(b, c))};
}

COPSE_HD inline bool are_apart(const Interval& a, const Interval& b, double slack) {
  return a.lo > add_rn(b.hi, slack) || b.lo > add_rn(a.hi, slack);
}

COPSE_HD inline double axis_slack(const dvec3& axis, double largest_coordinate) {
  return mul_rn(mul_rn(sum_of_magnitudes(axis), largest_coordinate), 0x1p-48);
}

/// The corners of a triangle, in the frame of the other shape.
struct Corners {
  dvec3 at[3];

  COPSE_HD dvec3 edge(u32 i) const { return sub_rn(at[i == 2 ? 0 : i + 1], at[i]); }
  COPSE_HD dvec3 normal() const { return cross_rn(edge(0), edge(1)); }
  COPSE_HD double largest_coordinate() const {
    return larger(largest_component(at[0]), larger(largest_component(at[1]), largest_component(at[2])));
  }
  COPSE_HD Interval along(const dvec3& axis) const {
    return interval_of(dot_rn(axis, at[0]), dot_rn(axis, at[1]), dot_rn(axis, at[2]));
  }
};

}  // namespace copse::detail
