#pragma once

#include "builders/geometry/glm.h"
#include "primitives/core/bits.h"
#include "primitives/core/macros.h"

namespace copse {

using glm::uvec3;
using glm::vec3;

static_assert(sizeof(vec3) == 12 && alignof(vec3) == 4, "vec3 has the layout of float3");
static_assert(sizeof(uvec3) == 12 && alignof(uvec3) == 4, "uvec3 has the layout of uint3");

/// Returns the component-wise minimum of two points. Neither may hold NaN or -0.0, so that every backend gives the
/// same bits. Vertices enter through clean_point.
COPSE_HD inline vec3 lower_corner(const vec3& a, const vec3& b) {
  return vec3(min_number(a.x, b.x), min_number(a.y, b.y), min_number(a.z, b.z));
}

/// Returns the component-wise maximum of two points, as lower_corner does the minimum.
COPSE_HD inline vec3 upper_corner(const vec3& a, const vec3& b) {
  return vec3(max_number(a.x, b.x), max_number(a.y, b.y), max_number(a.z, b.z));
}

/// Returns the point with every -0.0 replaced by 0.0.
COPSE_HD inline vec3 clean_point(const vec3& p) {
  return vec3(add_rn(p.x, 0.0f), add_rn(p.y, 0.0f), add_rn(p.z, 0.0f));
}

/// Branch-free, as is_empty is, so that loads of several points overlap.
COPSE_HD inline bool is_finite(const vec3& p) {
  return (magnitude(p.x) < infinity) & (magnitude(p.y) < infinity) & (magnitude(p.z) < infinity);
}

/// An axis-aligned box from lo to hi, both included. The empty box has lo at +infinity and hi at -infinity.
struct Aabb {
  vec3 lo;
  vec3 hi;

  COPSE_HD static Aabb empty() { return {vec3(infinity), vec3(-infinity)}; }
};

static_assert(sizeof(Aabb) == 24);

COPSE_HD inline bool is_empty(const Aabb& box) {
  return !((box.lo.x <= box.hi.x) & (box.lo.y <= box.hi.y) & (box.lo.z <= box.hi.z));
}

/// True if the box can be in a tree: its corners are finite, and it is not inverted.
COPSE_HD inline bool is_valid(const Aabb& box) {
  return is_finite(box.lo) && is_finite(box.hi) && !is_empty(box);
}

/// Returns the smallest box around both. An empty box changes nothing.
COPSE_HD inline Aabb merge(const Aabb& a, const Aabb& b) {
  return {lower_corner(a.lo, b.lo), upper_corner(a.hi, b.hi)};
}

/// Returns the box that two boxes share, which is empty if they are apart.
COPSE_HD inline Aabb intersection(const Aabb& a, const Aabb& b) {
  return {upper_corner(a.lo, b.lo), lower_corner(a.hi, b.hi)};
}

/// Returns half the surface area, in double precision so that no finite box overflows; 0 for an empty box.
COPSE_HD inline double half_area(const Aabb& box) {
  if (is_empty(box)) return 0;
  const double x = double(box.hi.x) - box.lo.x, y = double(box.hi.y) - box.lo.y, z = double(box.hi.z) - box.lo.z;
  return add_rn(add_rn(mul_rn(x, y), mul_rn(y, z)), mul_rn(z, x));
}

COPSE_HD inline bool operator==(const Aabb& a, const Aabb& b) {
  return a.lo == b.lo && a.hi == b.hi;
}

/// Returns the centre of a box. Halves are summed, so that no finite box overflows.
COPSE_HD inline vec3 centroid(const Aabb& box) {
  return vec3(add_rn(mul_rn(box.lo.x, 0.5f), mul_rn(box.hi.x, 0.5f)),
              add_rn(mul_rn(box.lo.y, 0.5f), mul_rn(box.hi.y, 0.5f)),
              add_rn(mul_rn(box.lo.z, 0.5f), mul_rn(box.hi.z, 0.5f)));
}

namespace detail {

/// Returns a component by its number, without an array, which would lie in local memory.
template <class Vector>
COPSE_HD inline auto coordinate(const Vector& v, u32 axis) {
  return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

COPSE_HD inline void set_coordinate(vec3& v, u32 axis, float value) {
  (axis == 0 ? v.x : axis == 1 ? v.y : v.z) = value;
}

}  // namespace detail

}  // namespace copse
