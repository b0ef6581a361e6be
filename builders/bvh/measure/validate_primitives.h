#pragma once

// What the checks of binary and of wide trees share: that every primitive stands in one leaf.

#include "builders/bvh/measure/validate_body.h"
#include "builders/geometry/aabb.h"
#include "primitives/core/atomic.h"

namespace copse::detail {

COPSE_HD inline void count_fault(u64* fault) {
  fetch_add_relaxed(fault, u64{1});
}

struct CheckPrimitiveIds {
  const u32* primitive_ids;
  u32 source_count;
  Faults* faults;
  COPSE_HD void operator()(u64 slot) const {
    if (primitive_ids[slot] >= source_count) count_fault(&faults->bad_indices);
  }
};

/// Counts the uses of the primitives of a leaf.
COPSE_HD inline void count_uses(const u32* primitive_ids, u32 first, u32 count, u32* uses) {
  for (u32 k = 0; k < count; ++k) fetch_add_relaxed(&uses[primitive_ids[first + k]], 1u);
}

template <class Boxes>
struct CheckPrimitives {
  Boxes boxes;
  const u32* uses;
  Faults* faults;
  COPSE_HD void operator()(u64 i) const {
    const bool valid = !is_empty(boxes(u32(i)));
    if (valid && uses[i] == 0) count_fault(&faults->missing_primitives);
    if (uses[i] > 1) count_fault(&faults->repeated_primitives);
    if (!valid && uses[i] > 0) count_fault(&faults->invalid_primitives);
  }
};

}  // namespace copse::detail
