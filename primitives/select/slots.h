#pragma once

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// Returns the counts of elements in 64 bits, wide enough to be summed.
template <class Counts>
struct SlotCounts {
  Counts counts;
  COPSE_HD u64 operator()(u64 i) const { return u64(counts(i)); }
};

}  // namespace copse::detail
