#pragma once

// Regions of space for overlap queries: boxes (Aabb), spheres, frusta, and your own shapes. Your own shape needs the
// same three functions:
//
//   bool has_points(region)             false if it touches nothing; called once
//   bool touches_box(region, lo, hi)    if true for a box, true for every box around it, despite rounding
//   bool touches(region, triangle)

#include "builders/geometry/point_triangle.h"
#include "queries/overlaps/triangle_box.h"
#include "trace/camera.h"

namespace copse {

// ---- Boxes ----------------------------------------------------------------------------------------------

/// Inverted boxes and NaN have no points; infinite ones do.
COPSE_HD inline bool has_points(const Aabb& box) {
  return !is_empty(box);
}

COPSE_HD inline bool touches_box(const Aabb& box, const vec3& lo, const vec3& hi) {
  return box.lo.x <= hi.x && box.hi.x >= lo.x && box.lo.y <= hi.y && box.hi.y >= lo.y && box.lo.z <= hi.z &&
         box.hi.z >= lo.z;
}

// ---- Spheres --------------------------------------------------------------------------------------------

/// All points that are no farther than `radius` from the centre. The radius may be 0, or infinite, which is all of
/// space. If it is negative or NaN, the sphere has no points.
struct Sphere {
  vec3 centre;
  float radius;
};

COPSE_HD inline bool has_points(const Sphere& sphere) {
  return is_finite(sphere.centre) && sphere.radius >= 0;
}

COPSE_HD inline bool touches_box(const Sphere& sphere, const vec3& lo, const vec3& hi) {
  return SquareDistance{sphere.centre}(lo, hi) <= mul_rn(sphere.radius, sphere.radius);
}

/// True if the sphere contains a corner of the triangle, or its nearest point as nearest_point finds it.
COPSE_HD inline bool touches(const Sphere& sphere, const Triangle& triangle) {
  if (!is_finite(triangle)) return false;
  const float limit = mul_rn(sphere.radius, sphere.radius);
  const SquareDistance square{sphere.centre};
  const bool has_corner = square(triangle.a, triangle.a) <= limit || square(triangle.b, triangle.b) <= limit ||
                          square(triangle.c, triangle.c) <= limit;
  return has_corner || nearest_on_triangle(triangle, sphere.centre).square <= limit;
}

// ---- Frusta ---------------------------------------------------------------------------------------------

/// The half-space normal . p + offset >= 0. An offset of infinity is all of space.
struct Plane {
  vec3 normal;
  float offset;
};

/// The points that are in six half-spaces. Any convex region of six planes is allowed, not only that of a camera.
struct Frustum {
  Plane planes[6];
};

COPSE_HD inline bool has_points(const Frustum&) {
  return true;
}

namespace detail {

/// The signed distance of a point in front of a plane, times the length of its normal. NaN is on neither side.
COPSE_HD inline float height_above(const Plane& plane, float x, float y, float z) {
  const vec3& n = plane.normal;
  return add_rn(add_rn(add_rn(mul_rn(n.x, x), mul_rn(n.y, y)), mul_rn(n.z, z)), plane.offset);
}

/// The height of a box's highest corner.
COPSE_HD inline float highest_of(const Plane& plane, const vec3& lo, const vec3& hi) {
  const vec3& n = plane.normal;
  return height_above(plane, n.x >= 0 ? hi.x : lo.x, n.y >= 0 ? hi.y : lo.y, n.z >= 0 ? hi.z : lo.z);
}

}  // namespace detail

/// Conservative: true unless the box is behind one of the planes. So it is also true for some boxes outside, near the
/// edges of the frustum.
COPSE_HD inline bool touches_box(const Frustum& frustum, const vec3& lo, const vec3& hi) {
  for (const Plane& plane : frustum.planes) {
    if (!(detail::highest_of(plane, lo, hi) >= 0)) return false;
  }
  return true;
}

/// Conservative: true unless the triangle is behind one of the planes.
COPSE_HD inline bool touches(const Frustum& frustum, const Triangle& t) {
  if (!is_finite(t)) return false;
  for (const Plane& plane : frustum.planes) {
    if (!(detail::height_above(plane, t.a.x, t.a.y, t.a.z) >= 0 ||
          detail::height_above(plane, t.b.x, t.b.y, t.b.z) >= 0 ||
          detail::height_above(plane, t.c.x, t.c.y, t.c.z) >= 0)) {
      return false;
    }
  }
  return true;
}

/// Returns the region that a camera sees between two distances along its view direction. `far` may be infinite.
COPSE_HD inline Frustum frustum_of(const Camera& camera, float near, float far) {
  const vec3 right = camera.right, up = camera.up, forward = camera.forward;
  const vec3 sides[4] = {cross_rn(add_rn(forward, right), up), cross_rn(up, sub_rn(forward, right)),
                         cross_rn(right, add_rn(forward, up)), cross_rn(sub_rn(forward, up), right)};
  const float length = length_rn(forward), along = dot_rn(forward, camera.eye);
  // The direction of the normals of the sides depends on the handedness of the camera.
  const bool points_inward = dot_rn(sides[0], forward) >= 0;
  Frustum frustum;
  for (u32 i = 0; i < 4; ++i) {
    const vec3 normal = points_inward ? sides[i] : mul_rn(sides[i], -1.0f);
    frustum.planes[i] = {normal, -dot_rn(normal, camera.eye)};
  }
  frustum.planes[4] = {forward, sub_rn(-along, mul_rn(near, length))};
  frustum.planes[5] = {mul_rn(forward, -1.0f), add_rn(along, mul_rn(far, length))};
  return frustum;
}

}  // namespace copse
