#pragma once

// How far a point is from a box and from a triangle, on the host and in kernels with the same bits.
//
// Both distances are computed relative to the point: coordinates are rounded once, then squared and added in the
// same way. The nearest point of a triangle is clamped to the triangle's box in that frame. Rounding keeps order,
// so no box is farther than the triangles in it, to the last bit. So a search that skips farther boxes finds what
// brute force finds.

#include "builders/geometry/triangle.h"
#include "builders/geometry/vector_rn.h"

namespace copse {

/// The square of the distance from a point to boxes; 0 inside. Squares past the range of float are infinite.
struct SquareDistance {
  vec3 point;  // finite

  COPSE_HD float operator()(const vec3& lo, const vec3& hi) const {
    const vec3 outside(axis(lo.x, hi.x, point.x), axis(lo.y, hi.y, point.y), axis(lo.z, hi.z, point.z));
    return dot_rn(outside, outside);
  }

 private:
  COPSE_HD static float axis(float lo, float hi, float p) {
    return max_number(max_number(0.0f, sub_rn(lo, p)), sub_rn(p, hi));
  }
};

/// The point (1 - u - v) a + u b + v c of a triangle, relative to another point.
struct TrianglePoint {
  vec3 offset;   // from the other point to it
  float square;  // of the distance
  float u, v;
};

namespace detail {

template <class Number>
struct WeightedPoint {
  glm::vec<3, Number> offset;
  Number square;
  Number u, v;
};

/// 0 for NaN, as for a segment of length 0, or if coordinates leave the range of float.
template <class Number>
COPSE_HD inline Number clamp_weight(Number weight) {
  return weight > 0 ? (weight < 1 ? weight : Number(1)) : Number(0);
}

/// The point nearest to the origin on the segment that begins at `from`, as a fraction of `edge`.
template <class Number>
COPSE_HD inline Number nearest_on_segment(const glm::vec<3, Number>& from, const glm::vec<3, Number>& edge) {
  const Number along = dot_rn(from, edge), length = dot_rn(edge, edge);
  return clamp_weight(div_rn(-along, length));
}

template <class Number>
COPSE_HD inline void keep_nearer(const glm::vec<3, Number>& offset, Number u, Number v,
                                 WeightedPoint<Number>& best) {
  const Number square = dot_rn(offset, offset);
  if (square < best.square) best = {offset, square, u, v};
}

/// Edges of a triangle whose nearest points are compared.
struct Edges {
  bool ab, ac, bc;
};

/// The nearest point of these edges.
template <class Number>
COPSE_HD inline WeightedPoint<Number> nearest_on_edges(const glm::vec<3, Number>& a, const glm::vec<3, Number>& b,
                                                       const glm::vec<3, Number>& c, const Edges& edges) {
  WeightedPoint<Number> best{a, Number(infinity), 0, 0};
  if (edges.ab) {
    const auto ab = sub_rn(b, a);
    const Number part = nearest_on_segment(a, ab);
    keep_nearer(add_rn(a, mul_rn(ab, part)), part, Number(0), best);
  }
  if (edges.ac) {
    const auto ac = sub_rn(c, a);
    const Number part = nearest_on_segment(a, ac);
    keep_nearer(add_rn(a, mul_rn(ac, part)), Number(0), part, best);
  }
  if (edges.bc) {
    const auto bc = sub_rn(c, b);
    const Number part = nearest_on_segment(b, bc);
    keep_nearer(add_rn(b, mul_rn(bc, part)), sub_rn(Number(1), part), part, best);
  }
  return best;
}

/// Finds the point of a triangle nearest to the origin; false if Number is too coarse for this triangle.
///
/// The weights are volumes divided by the square of the normal, (n x edge) . vertex. Their error grows with the
/// ratio of the distance to the triangle's size. The error of the products in Ericson, "Real-Time Collision
/// Detection", 2005, 5.1.5, grows with the square of this ratio. If the projection of the origin is outside the
/// triangle, one of the edges that it is outside of has the nearest point.
template <class Number>
COPSE_HD inline bool nearest_to_origin(const glm::vec<3, Number>& a, const glm::vec<3, Number>& b,
                                       const glm::vec<3, Number>& c, Number min_square, Number max_square,
                                       Number min_sine_square, WeightedPoint<Number>& nearest) {
  const auto ab = sub_rn(b, a), ac = sub_rn(c, a);
  const auto normal = cross_rn(ab, ac);
  const Number square = dot_rn(normal, normal);
  const Number parallel = mul_rn(dot_rn(ab, ab), dot_rn(ac, ac));
  const bool has_normal =
      square >= min_square && square <= max_square && square >= mul_rn(parallel, min_sine_square);
  if (!has_normal) return false;

  const Number weight_a = dot_rn(normal, cross_rn(b, sub_rn(c, b)));
  const Number weight_b = dot_rn(normal, cross_rn(ac, a));
  const Number weight_c = dot_rn(normal, cross_rn(a, ab));
  if (weight_a >= 0 && weight_b >= 0 && weight_c >= 0) {
    const Number u = div_rn(weight_b, square), v = div_rn(weight_c, square);
    nearest = {add_rn(add_rn(a, mul_rn(ab, u)), mul_rn(ac, v)), 0, u, v};
    return true;
  }
  nearest = nearest_on_edges(a, b, c, {weight_c < 0, weight_b < 0, weight_a < 0});
  return nearest.square < Number(infinity);
}

/// For needles, triangles without area, and triangles so small or large that products leave the range of float.
COPSE_HD inline WeightedPoint<float> nearest_in_double(const vec3& a, const vec3& b, const vec3& c) {
  // The fourth powers of the smallest and of the largest float are still normal doubles.
  constexpr double min_square = 1e-250, max_square = 1e250, min_sine_square = 1e-18;
  const dvec3 p = to_double(a), q = to_double(b), r = to_double(c);
  WeightedPoint<double> nearest;
  if (!nearest_to_origin(p, q, r, min_square, max_square, min_sine_square, nearest)) {
    nearest = nearest_on_edges(p, q, r, {true, true, true});
  }
  const dvec3& offset = nearest.offset;
  return {vec3(float(offset.x), float(offset.y), float(offset.z)), 0, float(nearest.u), float(nearest.v)};
}

COPSE_HD inline float clamp_between(float value, float a, float b, float c) {
  const float lo = min_number(a, min_number(b, c)), hi = max_number(a, max_number(b, c));
  return min_number(hi, max_number(lo, value));
}

}  // namespace detail

/// True if all coordinates of the triangle are finite numbers.
COPSE_HD inline bool is_finite(const Triangle& t) {
  return is_finite(t.a) && is_finite(t.b) && is_finite(t.c);
}

/// Returns the point of a triangle that is nearest to `from`. A triangle without area counts as a segment or a
/// point. Both arguments must be finite.
COPSE_HD inline TrianglePoint nearest_on_triangle(const Triangle& triangle, const vec3& from) {
  constexpr float min_square = 0x1p-100f, max_square = 0x1p100f, min_sine_square = 0x1p-14f;
  const vec3 a = sub_rn(triangle.a, from), b = sub_rn(triangle.b, from), c = sub_rn(triangle.c, from);
  detail::WeightedPoint<float> nearest;
  if (!detail::nearest_to_origin(a, b, c, min_square, max_square, min_sine_square, nearest)) {
    nearest = detail::nearest_in_double(a, b, c);
  }
  const vec3 offset(detail::clamp_between(nearest.offset.x, a.x, b.x, c.x),
                    detail::clamp_between(nearest.offset.y, a.y, b.y, c.y),
                    detail::clamp_between(nearest.offset.z, a.z, b.z, c.z));
  return {offset, dot_rn(offset, offset), detail::clamp_weight(nearest.u), detail::clamp_weight(nearest.v)};
}

}  // namespace copse
