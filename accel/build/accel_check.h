#pragma once

// What every call checks of its Accel.

#include "accel/accel.h"
#include "primitives/core/check.h"

namespace copse::detail {

/// Throws: Error invalid_argument if `accel` was never built, or if it is in the memory of another backend.
inline void check_accel(const char* function, const Context& context, const Accel& accel) {
  if (accel.tree().nodes.empty()) refuse(function, "the structure was never built");
  if (accel.backend() != context.backend()) {
    refuse(function, std::string("the structure was built by the backend ") + name_of(accel.backend()) +
                         ", but the context is of the backend " + name_of(context.backend()));
  }
}

}  // namespace copse::detail
