#pragma once

// What every call checks of its MotionAccel.

#include "motion/motion_accel.h"
#include "primitives/core/check.h"

namespace copse::detail {

/// Throws: Error invalid_argument if `accel` was never built, or if it is in the memory of another backend.
inline void check_motion_accel(const char* function, const Context& context, const MotionAccel& accel) {
  if (accel.key_count() == 0) refuse(function, "the structure of moving triangles was never built");
  if (accel.backend() != context.backend()) {
    refuse(function, std::string("the structure was built by the backend ") + name_of(accel.backend()) +
                         ", but the context is of the backend " + name_of(context.backend()));
  }
}

}  // namespace copse::detail
