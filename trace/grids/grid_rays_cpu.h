#pragma once

#include "primitives/cpu/for_each.h"
#include "trace/grids/grid_batch.h"

namespace copse::cpu {

namespace detail {

template <class Result>
struct MarchRay {
  copse::detail::GridBatch<Result> batch;
  void operator()(u64 i) const { batch.trace_robust(i); }
};

}  // namespace detail

/// Stores the results of n rays.
template <class Result>
void march_batch(const Executor& ex, u64 n, const copse::detail::GridBatch<Result>& batch) {
  for_each(ex, "grid march: rays", n, detail::MarchRay<Result>{batch});
}

}  // namespace copse::cpu
