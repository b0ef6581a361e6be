#pragma once

// An instance as rays need it: the way from the space of the scene into that of the mesh, and the box in the scene.
//
// A ray goes into the space of the mesh as
//
//   origin'    = inverse (origin - translation)          direction' = inverse direction
//
// and keeps its length, so t is the same in both spaces. The translation is subtracted first. With a translation that
// was multiplied by the inverse beforehand, two large terms would cancel after they were rounded.

#include "builders/geometry/vector_rn.h"
#include "scene/instance.h"
#include "trace/ray.h"

namespace copse::detail {

/// 64 bytes, made by the build from an Instance.
struct alignas(16) PlacedInstance {
  float inverse[9];  // rows
  vec3 translation;
  u32 accel;
  u32 mask;
  u32 id;
  InstanceFlags flags;

  COPSE_HD bool has(InstanceFlags flag) const { return (u32(flags) & u32(flag)) != 0; }

  COPSE_HD vec3 turned(const vec3& v) const {
    return vec3(dot_rn(vec3(inverse[0], inverse[1], inverse[2]), v),
                dot_rn(vec3(inverse[3], inverse[4], inverse[5]), v),
                dot_rn(vec3(inverse[6], inverse[7], inverse[8]), v));
  }

  /// The ray in the space of the mesh, as far as `limit`.
  COPSE_HD Ray into_mesh(const Ray& ray, float limit) const {
    return {turned(sub_rn(ray.origin, translation)), ray.t_min, turned(ray.direction), limit};
  }

  /// The side of this instance's triangles that a ray passes over.
  COPSE_HD Cull culled_side(Cull cull) const {
    if (cull == Cull::none || has(InstanceFlags::never_culls)) return Cull::none;
    if (!has(InstanceFlags::flips_facing)) return cull;
    return cull == Cull::back ? Cull::front : Cull::back;
  }
};

static_assert(sizeof(PlacedInstance) == 64);

/// Keeps the promises of a leaf test (trace/traverse.h) for a hit at `t` on an instance with this box: raises t to
/// where the ray enters the box, and returns false if the ray misses the box. So what a ray hits does not depend on
/// the tree over the instances, even where rounding in the space of a much distorted mesh moves a hit out of the box.
/// It computes in double, where no rounding matters: the walk through the tree pads its boxes by far more.
COPSE_HD inline bool bring_into_box(const Ray& ray, const Aabb& box, float& t) {
  const dvec3 origin = to_double(ray.origin), direction = to_double(ray.direction);
  const dvec3 lo = sub_rn(to_double(box.lo), origin), hi = sub_rn(to_double(box.hi), origin);
  double entry = ray.t_min, exit = ray.t_max;
  for (int axis = 0; axis < 3; ++axis) {
    if (direction[axis] == 0) {
      if (lo[axis] > 0 || hi[axis] < 0) return false;
      continue;
    }
    const double one = div_rn(lo[axis], direction[axis]), other = div_rn(hi[axis], direction[axis]);
    const double near = one < other ? one : other, far = one < other ? other : one;
    entry = near > entry ? near : entry;
    exit = far < exit ? far : exit;
  }
  if (entry > exit) return false;
  if (double(t) < entry) t = float(entry);
  return true;
}

}  // namespace copse::detail
