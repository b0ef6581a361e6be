#pragma once

// Ray against triangle, on the host and in kernels with the same bits. No multiply-add is fused: that would give
// both neighbours of an edge the same sign.

#include "builders/geometry/aabb.h"
#include "builders/geometry/triangle.h"
#include "trace/ray.h"

namespace copse {

/// False for rays that hit nothing by trace/ray.h: NaN anywhere, an infinite origin or direction, a
/// direction of length zero, t_min above t_max.
COPSE_HD inline bool is_traceable(const Ray& ray) {
  const vec3 &o = ray.origin, &d = ray.direction;
  // A number times zero is zero, anything else NaN: multiplications are what a GPU has most of.
  const float nothing = add_rn(add_rn(add_rn(mul_rn(o.x, 0), mul_rn(o.y, 0)), mul_rn(o.z, 0)),
                               add_rn(add_rn(mul_rn(d.x, 0), mul_rn(d.y, 0)), mul_rn(d.z, 0)));
  const float largest = max_number(max_number(magnitude(d.x), magnitude(d.y)), magnitude(d.z));
  return nothing == 0 && largest > 0 && ray.t_min <= ray.t_max;
}

/// The shear that turns a traceable ray's direction into the axis of its largest component.
struct RayShear {
  vec3 origin;    // axes in the order kx, ky, kz
  float x, y;     // direction kx and ky over direction kz
  float forward;  // direction kz
  u32 axis;       // kz: 0, 1 or 2
};

struct TriangleHit {
  float t;
  float u, v;  // weights of b and c
};

namespace detail {

/// The components of `p` in cyclic order with `axis` last.
COPSE_HD inline vec3 with_axis_last(const vec3& p, u32 axis) {
  if (axis == 0) return vec3(p.y, p.z, p.x);
  if (axis == 1) return vec3(p.z, p.x, p.y);
  return p;
}

/// A vertex seen along the ray: the ray is the line x = y = 0.
COPSE_HD inline vec3 shear_vertex(const RayShear& ray, const vec3& vertex) {
  const vec3 p = with_axis_last(vertex, ray.axis);
  const float z = sub_rn(p.z, ray.origin.z);
  return vec3(sub_rn(sub_rn(p.x, ray.origin.x), mul_rn(ray.x, z)),
              sub_rn(sub_rn(p.y, ray.origin.y), mul_rn(ray.y, z)), z);
}

/// Twice the signed area between the ray and the edge from p to q. The sign of a value that is not zero is
/// exact for the given points, since rounding keeps the order of the two products. So neighbours agree on
/// their edge.
template <class Number>
COPSE_HD inline Number edge_function(const vec3& p, const vec3& q) {
  return sub_rn(mul_rn(Number(q.x), Number(p.y)), mul_rn(Number(q.y), Number(p.x)));
}

/// False where the ray passes outside. NaN is not outside, it ends as a miss later. Joined by bit operators:
/// branches on the six comparisons would mispredict.
template <class Number>
COPSE_HD inline bool may_be_inside(Number u, Number v, Number w) {
  return !(((u < 0) | (v < 0) | (w < 0)) & ((u > 0) | (v > 0) | (w > 0)));
}

/// Twice the area of the triangle as the ray sees it below which float decides nothing.
inline constexpr float least_det = 1.0f / (1u << 20) / (1u << 20) / (1u << 20) / (1u << 20);

}  // namespace detail

/// The paper's exchange of kx and ky for directions that point backwards keeps the winding; without culling it
/// changes no result.
COPSE_HD inline RayShear make_shear(const Ray& ray) {
  const float x = magnitude(ray.direction.x), y = magnitude(ray.direction.y), z = magnitude(ray.direction.z);
  const u32 axis = x > y ? (x > z ? 0u : 2u) : (y > z ? 1u : 2u);
  const vec3 d = detail::with_axis_last(ray.direction, axis);
  return {detail::with_axis_last(ray.origin, axis), div_rn(d.x, d.z), div_rn(d.y, d.z), d.z, axis};
}

/// A hit whose weights are still to be divided: v and w are those of b and c times det.
struct UndividedHit {
  float t;
  float v, w, det;

  COPSE_HD TriangleHit divided() const { return {t, div_rn(v, det), div_rn(w, det)}; }
};

/// What float can say of a ray and a triangle.
enum class FloatHit : u8 { no, yes, unknown };

/// intersect_triangle as far as it goes in single precision: `hit` changes only where the answer is yes. Unknown
/// are rays through edges and vertices, and triangles so small or large that products leave the range of float.
COPSE_HD inline FloatHit intersect_in_float(const RayShear& ray, const Triangle& triangle, float t_min,
                                            float limit, UndividedHit& hit) {
  const vec3 a = detail::shear_vertex(ray, triangle.a);
  const vec3 b = detail::shear_vertex(ray, triangle.b);
  const vec3 c = detail::shear_vertex(ray, triangle.c);

  const float u = detail::edge_function<float>(b, c);
  const float v = detail::edge_function<float>(c, a);
  const float w = detail::edge_function<float>(a, b);
  if (!detail::may_be_inside(u, v, w)) return FloatHit::no;

  const float det = add_rn(add_rn(u, v), w);
  const float depth = add_rn(add_rn(mul_rn(u, a.z), mul_rn(v, b.z)), mul_rn(w, c.z));
  const bool decided = u != 0 && v != 0 && w != 0 && magnitude(det) >= detail::least_det;
  const float t = div_rn(div_rn(depth, det), ray.forward);
  if (!(decided && is_finite(t))) return FloatHit::unknown;
  if (!(t >= t_min && t <= limit)) return FloatHit::no;
  hit = {t, v, w, det};
  return FloatHit::yes;
}

namespace detail {

/// The test in double precision, where products of floats are exact: t is NaN on a miss. Out of line and by value:
/// it is seldom needed, and its registers would count for every ray.
[[gnu::noinline]] COPSE_HD inline TriangleHit intersect_in_double(RayShear ray, Triangle triangle) {
  constexpr TriangleHit miss{__builtin_nanf(""), 0, 0};
  const vec3 a = shear_vertex(ray, triangle.a), b = shear_vertex(ray, triangle.b),
             c = shear_vertex(ray, triangle.c);
  const double u = edge_function<double>(b, c);
  const double v = edge_function<double>(c, a);
  const double w = edge_function<double>(a, b);
  if (!may_be_inside(u, v, w)) return miss;
  const double det = add_rn(add_rn(u, v), w);
  if (!(det != 0)) return miss;
  const double depth = add_rn(add_rn(mul_rn(u, double(a.z)), mul_rn(v, double(b.z))), mul_rn(w, double(c.z)));
  return {float(depth / det / double(ray.forward)), float(v / det), float(w / det)};
}

}  // namespace detail

/// Tests a triangle, either side, for a hit with t in [t_min, limit]; `hit` changes only then. Watertight: a
/// ray does not slip between triangles that share an edge or a vertex. Triangles seen edge-on are missed, and
/// those with NaN or infinite vertices.
///
/// Source: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", JCGT 2013. Here t is divided by the
/// direction at the end instead of scaled by its inverse, so that short directions do not overflow, and the
/// step to double precision covers under- and overflow as well.
COPSE_HD inline bool intersect_triangle(const RayShear& ray, const Triangle& triangle, float t_min, float limit,
                                        UndividedHit& hit) {
  const FloatHit in_float = intersect_in_float(ray, triangle, t_min, limit, hit);
  if (in_float != FloatHit::unknown) return in_float == FloatHit::yes;
  const TriangleHit found = detail::intersect_in_double(ray, triangle);
  if (!(found.t >= t_min && found.t <= limit && is_finite(found.t))) return false;
  hit = {found.t, found.u, found.v, 1};
  return true;
}

/// The same with the weights.
COPSE_HD inline bool intersect_triangle(const RayShear& ray, const Triangle& triangle, float t_min, float limit,
                                        TriangleHit& hit) {
  UndividedHit found;
  if (!intersect_triangle(ray, triangle, t_min, limit, found)) return false;
  hit = found.divided();
  return true;
}

}  // namespace copse
