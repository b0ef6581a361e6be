#pragma once

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// How long each of `n` lists is, and a 0 behind the last, so that an exclusive scan ends with the total.
struct CountsAndEnd {
  const u32* counts;
  u64 n;
  COPSE_HD u64 operator()(u64 i) const { return i < n ? counts[i] : 0; }
};

}  // namespace copse::detail
