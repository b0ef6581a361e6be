#pragma once

// Ray against triangle, with the same bits on the host and in kernels. A hit depends on the ray and the triangle
// alone. The ray is in the triangle's box at the t of the hit, and near the triangle itself, up to a few roundings.
// So every tree and grid finds the hit, whatever its shape.
//
// The test rests on the signed areas between the ray and the three edges, which are the weights of the corners. Each
// is a difference of two products. If a ray meets a triangle nearly edge-on, the difference may consist of rounding
// errors alone. Its sign is still right, since rounding keeps the order of the products. Its value is not, and t
// would be noise. So edge_function adds the rounding errors of the products back. Then a weight is right in all but
// its last bits.
//
// By how much may t differ from the times at which the ray is in the box? Let T be the time to the corner that is
// farthest along the ray's main axis. In roundings of 2^-24 of T:
//   - A sheared coordinate is X - r z, with three roundings. The weights are exact for corners moved by these. So the
//     weighted mean of z errs by at most 8: r z by 3, r itself by 2, X by 1, and 2 for the sum, which moves the weights.
//     (X errs by one rounding of X, which may be more than T. But then it is beyond the box's end in z.)
//   - This mean in floats: 2 for the weights, 7 for the sums, products and the inverse of the sum of the weights.
//   - t: 3, for the inverse of the direction, the product with it, and the subtraction of the origin.
// That is 20 in time (trace/hit/slabs.h has room for 24), and as many in distance across the ray. Numbers that underflow
// err by more, for which trace/hit/slabs.h has room of its own. Grids and kd-trees have room for both (thickness_of_rays
// of builders/grid/layout.h).

#include "builders/geometry/aabb.h"
#include "builders/geometry/triangle.h"
#include "builders/geometry/vector_rn.h"
#include "primitives/core/compiler.h"
#include "trace/hit/fma_rn.h"
#include "trace/ray.h"

namespace copse {

/// False for rays that hit nothing by trace/ray.h: with a NaN, an infinite origin or direction, a direction of
/// length zero, or t_min above t_max.
COPSE_HD inline bool is_traceable(const Ray& ray) {
  const vec3 &o = ray.origin, &d = ray.direction;
  // 0 times a finite number is 0, otherwise NaN. A GPU is fastest at multiplications.
  const float nothing = add_rn(add_rn(add_rn(mul_rn(o.x, 0), mul_rn(o.y, 0)), mul_rn(o.z, 0)),
                               add_rn(add_rn(mul_rn(d.x, 0), mul_rn(d.y, 0)), mul_rn(d.z, 0)));
  const float largest = max_number(max_number(magnitude(d.x), magnitude(d.y)), magnitude(d.z));
  return nothing == 0 && largest > 0 && ray.t_min <= ray.t_max;
}

/// The shear that turns the direction of a traceable ray into the axis of its largest component. This axis and z
/// change places. The direction is measured in units in which that component is 1 to 2.
struct RayShear {
  vec3 origin;    // axes exchanged
  float x, y;     // directions x and y over z
  float inverse;  // one over direction z
  float units;    // a power of two
  u32 axis;       // that is now z: 0, 1 or 2
};

struct TriangleHit {
  float t;
  float u, v;  // weights of b and c
};

namespace detail {

/// `p` with `axis` and z exchanged. The winding may change, but no result here depends on it.
COPSE_HD inline vec3 exchanged(const vec3& p, u32 axis) {
  const bool x = axis == 0, y = axis == 1;
  return vec3(x ? p.z : p.x, y ? p.z : p.y, x ? p.x : y ? p.y : p.z);
}

/// A vertex seen along the ray: the ray is the line x = y = 0.
COPSE_HD inline vec3 shear_vertex(const RayShear& ray, const vec3& vertex) {
  const vec3 p = exchanged(vertex, ray.axis);
  const float z = sub_rn(p.z, ray.origin.z);
  return vec3(sub_rn(sub_rn(p.x, ray.origin.x), mul_rn(ray.x, z)),
              sub_rn(sub_rn(p.y, ray.origin.y), mul_rn(ray.y, z)), z);
}

/// Twice the signed area between the ray and the edge from p to q, with a relative error of at most 2^-23. So it is
/// zero only where the exact value is, its sign is right, and the two triangles at an edge agree. That holds for
/// magnitudes from min_edge on. Below it, the rounding error of a product may be smaller than the smallest float.
///
/// Source: Kahan's difference of products. Jeannerod, Louvet, Muller, "Further analysis of Kahan's algorithm for
/// the accurate computation of 2x2 determinants", Mathematics of Computation 82, 2013, prove the bound.
COPSE_HD inline float edge_function(const vec3& p, const vec3& q) {
  const float rounded = mul_rn(q.y, p.x);
  const float rounded_by = fma_rn(-q.y, p.x, rounded);
  return add_rn(fma_rn(q.x, p.y, -rounded), rounded_by);
}

/// The same with one rounding: products of floats are exact in double.
COPSE_HD inline double exact_edge_function(const vec3& p, const vec3& q) {
  return sub_rn(mul_rn(double(q.x), double(p.y)), mul_rn(double(q.y), double(p.x)));
}

/// From this magnitude on, signs are right: 2^-120.
inline constexpr float min_edge = 1.0f / (1u << 30) / (1u << 30) / (1u << 30) / (1u << 30);

/// False if the ray surely passes outside. NaN counts as inside here and becomes a miss later. Bit operators join the
/// six comparisons, since branches on them would be mispredicted.
template <class Number>
COPSE_HD inline bool may_be_inside(Number u, Number v, Number w, Number least) {
  return !(((u < -least) | (v < -least) | (w < -least)) & ((u > least) | (v > least) | (w > least)));
}

/// Limits of twice the triangle's area as the ray sees it. Below 2^-80 the float test is not trusted. Up to 2^125 the
/// inverse is a normal float.
inline constexpr float min_det = 1.0f / (1u << 20) / (1u << 20) / (1u << 20) / (1u << 20);
inline constexpr float max_det = 1.0f * (1u << 31) * (1u << 31) * (1u << 31) * (1u << 31) * 2;

}  // namespace detail

/// The units for directions with a largest component of this magnitude: a power of two.
COPSE_HD inline float direction_units(float largest) {
  constexpr u32 min_exponent = 0x00800000u, max_exponent = 0x7e800000u;
  return float_from_bits(detail::one_twice -
                         smaller(larger(bits_of(largest) & 0x7f800000u, min_exponent), max_exponent));
}

/// Makes the shear of a ray. In units, the largest component of a denormal direction is at least 2^-23, and that of
/// the longest directions at most 4. So its inverse is finite, and so are the quotients of the components.
COPSE_HD inline RayShear make_shear(const Ray& ray) {
  const float x = magnitude(ray.direction.x), y = magnitude(ray.direction.y), z = magnitude(ray.direction.z);
  const u32 axis = x > y ? (x > z ? 0u : 2u) : (y > z ? 1u : 2u);
  const float units = direction_units(max_number(max_number(x, y), z));
  const vec3 d = detail::exchanged(mul_rn(ray.direction, units), axis);
  const float inverse = reciprocal_rn(d.z);
  return {detail::exchanged(ray.origin, axis), mul_rn(d.x, inverse), mul_rn(d.y, inverse), inverse, units, axis};
}

/// A hit before the weights are divided: v and w times `inverse` are the weights of b and c.
struct UndividedHit {
  float t;
  float v, w, inverse;

  COPSE_HD TriangleHit divided() const { return {t, mul_rn(v, inverse), mul_rn(w, inverse)}; }
};

/// The part of intersect_triangle in single precision. `hit` changes only if the result is true. `is_unknown` becomes
/// true for rays through edges and vertices, and for triangles so small or large that products leave the range of
/// float. Otherwise it does not change.
COPSE_HD inline bool intersect_in_float(const RayShear& ray, const Triangle& triangle, float t_min, float limit,
                                        UndividedHit& hit, bool& is_unknown) {
  const vec3 a = detail::shear_vertex(ray, triangle.a);
  const vec3 b = detail::shear_vertex(ray, triangle.b);
  const vec3 c = detail::shear_vertex(ray, triangle.c);

  const float u = detail::edge_function(b, c);
  const float v = detail::edge_function(c, a);
  const float w = detail::edge_function(a, b);
  if (!detail::may_be_inside(u, v, w, detail::min_edge)) return false;

  const float det = add_rn(add_rn(u, v), w);
  const float depth = add_rn(add_rn(mul_rn(u, a.z), mul_rn(v, b.z)), mul_rn(w, c.z));
  const float least = min_number(magnitude(u), min_number(magnitude(v), magnitude(w)));
  const bool decided =
      least > detail::min_edge && magnitude(det) >= detail::min_det && magnitude(det) <= detail::max_det;
  const float inverse = reciprocal_rn(det);
  const float t = mul_rn(mul_rn(mul_rn(depth, inverse), ray.inverse), ray.units);
  if (!(decided && is_finite(t))) {
    is_unknown = true;
    return false;
  }
  if (!(t >= t_min && t <= limit)) return false;
  hit = {t, v, w, inverse};
  return true;
}

namespace detail {

/// The test in double precision, where products of floats are exact. t is NaN on a miss. The function is out of line
/// and takes values: it is rarely needed, and inlined it would cost every ray registers.
[[gnu::noinline]] COPSE_HD inline TriangleHit intersect_in_double(RayShear ray, Triangle triangle) {
  constexpr TriangleHit miss{not_a_number, 0, 0};
  const vec3 a = shear_vertex(ray, triangle.a), b = shear_vertex(ray, triangle.b),
             c = shear_vertex(ray, triangle.c);
  const double u = exact_edge_function(b, c);
  const double v = exact_edge_function(c, a);
  const double w = exact_edge_function(a, b);
  if (!may_be_inside(u, v, w, 0.0)) return miss;
  const double det = add_rn(add_rn(u, v), w);
  if (!(det != 0)) return miss;
  const double depth = add_rn(add_rn(mul_rn(u, double(a.z)), mul_rn(v, double(b.z))), mul_rn(w, double(c.z)));
  return {float(depth / det * double(ray.inverse) * double(ray.units)), float(v / det), float(w / det)};
}

}  // namespace detail

/// Tests either side of a triangle for a hit with t in [t_min, limit]. `hit` changes only if there is one. The
/// test is watertight: a ray does not slip between triangles that share an edge or a vertex. Rays miss triangles
/// that they see edge-on, and triangles with NaN or infinite vertices.
///
/// Source: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", JCGT 2013. Here a power of two scales the
/// direction first, so that the inverse of a short one does not overflow. The step to double precision covers
/// underflow and overflow as well.
COPSE_HD inline bool intersect_triangle(const RayShear& ray, const Triangle& triangle, float t_min, float limit,
                                        UndividedHit& hit) {
  bool is_unknown = false;
  if (intersect_in_float(ray, triangle, t_min, limit, hit, is_unknown)) return true;
  if (!is_unknown) return false;
  const TriangleHit found = detail::intersect_in_double(ray, triangle);
  if (!(found.t >= t_min && found.t <= limit && is_finite(found.t))) return false;
  hit = {found.t, found.u, found.v, 1};
  return true;
}

/// The same, with the weights divided.
COPSE_HD inline bool intersect_triangle(const RayShear& ray, const Triangle& triangle, float t_min, float limit,
                                        TriangleHit& hit) {
  UndividedHit found;
  if (!intersect_triangle(ray, triangle, t_min, limit, found)) return false;
  hit = found.divided();
  return true;
}

}  // namespace copse
