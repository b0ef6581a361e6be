#pragma once

// The checks that every call makes of its Accel or AccelBatch.

#include "accel/accel.h"
#include "accel/accel_batch.h"
#include "primitives/core/backend_check.h"

namespace copse::detail {

/// Throws: Error invalid_argument if `accel` was never built, or if it is in the memory of another backend.
inline void check_accel(const char* function, const Context& context, const Accel& accel) {
  if (accel.tree().nodes.empty()) refuse(function, "the structure was never built");
  check_backend(function, context, "the structure was", accel.backend());
}

/// The same for a batch.
inline void check_batch(const char* function, const Context& context, const AccelBatch& batch) {
  if (batch.backend() == Backend::automatic) refuse(function, "the batch was never built");
  check_backend(function, context, "the batch was", batch.backend());
}

}  // namespace copse::detail
