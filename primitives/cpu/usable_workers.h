#pragma once

#include <oneapi/tbb/global_control.h>

#include <algorithm>

#include "primitives/core/types.h"

namespace copse::cpu {

/// Returns how many of so many threads oneTBB runs at once: at most one per core, unless the program has asked for
/// another number by tbb::global_control. An arena that is larger gets no more, but makes oneTBB write a warning to
/// standard error.
inline u32 usable_workers(u32 wanted) {
  const size_t limit = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return u32(std::min<size_t>(wanted, limit));
}

}  // namespace copse::cpu
