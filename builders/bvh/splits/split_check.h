#pragma once

// The checks of the option `splits`, for all calls that build.

#include <string>

#include "builders/bvh/splits.h"
#include "builders/geometry/primitive_set.h"
#include "primitives/core/error.h"

namespace copse::detail {

/// Throws: Error invalid_argument unless `splits` is 1 to max_splits.
inline void check_splits(float splits) {
  if (splits >= 1 && splits <= max_splits) return;
  throw Error(ErrorCode::invalid_argument,
              "splits is " + std::to_string(splits) + "; it can be 1 to " + std::to_string(u32(max_splits)));
}

/// Throws: Error capacity if a tree cannot have so many references.
inline void check_reference_count(u64 references) {
  if (references <= max_primitives) return;
  throw Error(ErrorCode::capacity, std::to_string(references) + " references to split triangles, at most " +
                                       std::to_string(max_primitives) + " fit in one tree");
}

}  // namespace copse::detail
