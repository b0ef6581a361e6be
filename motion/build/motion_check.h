#pragma once

// The checks that every call makes of its MotionAccel or MotionScene.

#include "motion/motion_scene.h"
#include "primitives/core/backend_check.h"

namespace copse::detail {

/// Throws: Error invalid_argument if `accel` was never built, or if it is in the memory of another backend.
inline void check_motion(const char* function, const Context& context, const MotionAccel& accel) {
  if (accel.key_count() == 0) refuse(function, "the structure of moving triangles was never built");
  check_backend(function, context, "the structure was", accel.backend());
}

/// The same for a scene of moving instances.
inline void check_motion(const char* function, const Context& context, const MotionScene& scene) {
  if (scene.key_count() == 0) refuse(function, "the scene of moving instances was never built");
  check_backend(function, context, "the scene was", scene.backend());
}

}  // namespace copse::detail
