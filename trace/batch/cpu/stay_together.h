#pragma once

#include <cmath>

#include "builders/geometry/aabb.h"
#include "trace/ray.h"

namespace copse::cpu {

namespace detail {

/// Limit of a group that stays together: the components of its directions, at length 1, differ by at most this, and
/// its origins by at most this part of the tree's extent.
inline constexpr float max_spread = 0.05f;

/// The box of some points. It is infinite if a coordinate is NaN.
struct Spread {
  vec3 lo{infinity}, hi{-infinity};
  bool is_number = true;

  void add(const vec3& p) {
    is_number = is_number && p.x - p.x == 0 && p.y - p.y == 0 && p.z - p.z == 0;
    lo = lower_corner(lo, p), hi = upper_corner(hi, p);
  }
  bool is_below(const vec3& most) const {
    const vec3 size = hi - lo;
    return is_number && size.x <= most.x && size.y <= most.y && size.z <= most.z;
  }
};

template <class RayAt>
bool group_stays_together(const RayAt& ray_at, u64 begin, u64 count, const vec3& max_apart) {
  Spread directions, origins;
  for (u64 i = begin; i < begin + count; ++i) {
    const Ray& ray = ray_at(i);
    const vec3& d = ray.direction;
    const float length = std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    directions.add(d * (1 / length));
    origins.add(ray.origin);
  }
  return directions.is_below(vec3(max_spread)) && origins.is_below(max_apart);
}

}  // namespace detail

/// True if three quarters of 32 groups of 16 neighbouring rays stay together in a tree with these bounds. The
/// groups lie at equal distances in the batch. A smaller batch has fewer groups.
///   ray_at: returns ray i
template <class RayAt>
bool stay_together(const RayAt& ray_at, u64 n, const Aabb& bounds) {
  constexpr u64 max_groups = 32, group_size = 16;
  if (n == 0 || is_empty(bounds)) return false;
  const u64 groups = smaller(max_groups, larger(n / group_size, u64{1}));
  const vec3 size = bounds.hi - bounds.lo;
  const vec3 max_apart(detail::max_spread * max_number(size.x, max_number(size.y, size.z)));
  u64 together = 0;
  for (u64 g = 0; g < groups; ++g) {
    const u64 begin = n / group_size * g / groups * group_size;
    const u64 count = smaller(group_size, n - begin);
    together += detail::group_stays_together(ray_at, begin, count, max_apart) ? 1 : 0;
  }
  return 4 * together >= 3 * groups;
}

}  // namespace copse::cpu
