#pragma once

// What every call checks of its Accel, or of its AccelBatch.

#include "accel/accel.h"
#include "accel/accel_batch.h"
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

/// The same for a batch.
inline void check_batch(const char* function, const Context& context, const AccelBatch& batch) {
  if (batch.backend() == Backend::automatic) refuse(function, "the batch was never built");
  if (batch.backend() == context.backend()) return;
  refuse(function, std::string("the batch was built by the backend ") + name_of(batch.backend()) +
                       ", but the context is of the backend " + name_of(context.backend()));
}

}  // namespace copse::detail
