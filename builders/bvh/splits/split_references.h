#pragma once

#include "builders/geometry/aabb.h"

namespace copse::detail {

/// References to triangles, in the memory of the executor, in the order of the triangles.
struct SplitReferences {
  u64 count;           // with those that are not used
  Aabb* boxes;         // empty for a reference that is not used
  u32* ids;            // of the triangles; 0 for a reference that is not used
  u32* invalid_count;  // one word: triangles that cannot be in a tree
};

}  // namespace copse::detail
