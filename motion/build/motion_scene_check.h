#pragma once

// What every call checks of its MotionScene.

#include "motion/motion_scene.h"
#include "primitives/core/check.h"

namespace copse::detail {

/// Throws: Error invalid_argument if `scene` was never built, or if it is in the memory of another backend.
inline void check_motion_scene(const char* function, const Context& context, const MotionScene& scene) {
  if (scene.key_count() == 0) refuse(function, "the scene of moving instances was never built");
  if (scene.backend() != context.backend()) {
    refuse(function, std::string("the scene was built by the backend ") + name_of(scene.backend()) +
                         ", but the context is of the backend " + name_of(context.backend()));
  }
}

}  // namespace copse::detail
