#pragma once

// Where secondary rays begin, so that they never hit the triangle that they leave. On the host and in kernels; there is
// nothing to link.
//
//   const copse::SpawnOffset spawn = copse::spawn_offset(triangle, hit.u, hit.v);
//   const copse::Ray shadow{spawn.origin(to_light), 0, to_light, 1};
//
// The proof. Let u be 2^-24, and E the greatest extent of the triangle along an axis. The test (trace/hit/intersect.h)
// sees the corners moved: each sheared coordinate by up to 7 u E, so a corner by 12 u E. It finds where the ray meets
// the moved triangle, whose points are all within 12 u E of the plane. If a ray begins farther from the plane and goes
// away from it, it meets the moved triangle at no t above 0. It may meet it behind its origin. That t has an error of
// at most 20 u of the time to the farthest corner. It stays below 0 if the ray begins 35 u E farther away, since a ray
// moves at most sqrt(3) times as far as along its main axis. The sum is 47 u E; 64 u E are taken. The origin itself is
// rounded once, by u of each coordinate.

#include <cmath>

#include "builders/geometry/triangle.h"
#include "builders/geometry/vector_rn.h"
#include "trace/ray.h"

namespace copse {

/// The point of a hit, and how far from it rays begin.
struct SpawnOffset {
  dvec3 point;      // on the triangle
  dvec3 normal;     // of length 1, on the side of the front; zero if the triangle has no area
  double distance;  // along the normal, to either side

  /// Returns the origin of a ray that leaves the hit in this direction: on the side of the triangle to which the
  /// direction points. With a t_min of 0 or more the ray does not hit the triangle.
  COPSE_HD vec3 origin(const vec3& direction) const {
    const double along = dot_rn(normal, to_double(direction));
    return vec3(add_rn(point, mul_rn(normal, along < 0 ? -distance : distance)));
  }
};

namespace detail {

/// The vector at length 1, or zero. Components that are too small to be squared are scaled first.
COPSE_HD inline dvec3 at_unit_length(const dvec3& d) {
  const double scale = largest_component(d);
  if (!(scale > 0)) return dvec3(0.0);
  const dvec3 scaled = div_rn(d, scale);
  return div_rn(scaled, std::sqrt(dot_rn(scaled, scaled)));
}

/// A hit in the space in which its triangle is tested.
struct SpawnSurface {
  dvec3 point, normal;
  double extent;  // of the triangle, the greatest along an axis

  COPSE_HD SpawnSurface(const Triangle& triangle, float u, float v) {
    const dvec3 a = to_double(triangle.a);
    const dvec3 ab = sub_rn(to_double(triangle.b), a), ac = sub_rn(to_double(triangle.c), a);
    point = add_rn(a, add_rn(mul_rn(ab, double(u)), mul_rn(ac, double(v))));
    normal = at_unit_length(cross_rn(ab, ac));
    extent = larger(largest_component(ab), larger(largest_component(ac), largest_component(sub_rn(ac, ab))));
  }
};

/// u of the proof, and a little more for roundings in double.
inline constexpr double spawn_rounding = 1.001 / (1u << 24);

}  // namespace detail

/// Returns where rays that leave a hit on this triangle begin. The point follows from the weights u and v of the corners
/// b and c. That is more exact than the point of the ray at t.
COPSE_HD inline SpawnOffset spawn_offset(const Triangle& triangle, float u, float v) {
  const detail::SpawnSurface surface(triangle, u, v);
  const double roundings =
      add_rn(mul_rn(surface.extent, 64.0), sum_of_magnitudes(mul_rn(surface.normal, surface.point)));
  return {surface.point, surface.normal, mul_rn(roundings, detail::spawn_rounding)};
}

}  // namespace copse
