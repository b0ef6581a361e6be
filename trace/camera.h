#pragma once

#include "builders/geometry/aabb.h"
#include "trace/ray.h"

namespace copse {

/// A pinhole camera: rays from `eye` through the centres of pixels.
struct Camera {
  vec3 eye;
  vec3 forward;  // to the middle of the image
  vec3 right;    // from the middle to the right edge
  vec3 up;       // from the middle to the upper edge
};

/// Returns a camera at `eye` that looks at `target`.
///   up:            the direction that points up in the image. If can_be_up() is false for it, another one is taken
///   field_of_view: vertical, in degrees, above 0 and below 180
///   aspect:        width over height, above 0
/// Throws: Error invalid_argument for values out of range, for points that are not finite, and if eye equals
/// target.
COPSE_API Camera look_at(const vec3& eye, const vec3& target, const vec3& up, float field_of_view, float aspect);

/// Returns false if `up` is 0 or parallel to the view from `eye` to `target`. Such a vector does not define an up
/// direction.
COPSE_API bool can_be_up(const vec3& up, const vec3& eye, const vec3& target);

/// Returns a camera that sees all of `box` from an oblique direction, with y up.
COPSE_API Camera frame_box(const Aabb& box, float field_of_view, float aspect);

/// Returns the ray through the middle of pixel (x, y). Pixel (0, 0) is at the top left. The direction has length
/// 1.
COPSE_HD inline Ray camera_ray(const Camera& camera, u32 x, u32 y, u32 width, u32 height) {
  const float s = sub_rn(div_rn(mul_rn(add_rn(float(x), 0.5f), 2.0f), float(width)), 1.0f);
  const float t = sub_rn(1.0f, div_rn(mul_rn(add_rn(float(y), 0.5f), 2.0f), float(height)));
  const auto along = [&](float f, float r, float u) { return add_rn(f, add_rn(mul_rn(s, r), mul_rn(t, u))); };
  const float dx = along(camera.forward.x, camera.right.x, camera.up.x);
  const float dy = along(camera.forward.y, camera.right.y, camera.up.y);
  const float dz = along(camera.forward.z, camera.right.z, camera.up.z);
  const float length = sqrt_rn(add_rn(add_rn(mul_rn(dx, dx), mul_rn(dy, dy)), mul_rn(dz, dz)));
  return {camera.eye, 0.0f, vec3(div_rn(dx, length), div_rn(dy, length), div_rn(dz, length)), infinity};
}

}  // namespace copse
