#pragma once

#include "primitives/cpu/for_each.h"
#include "trace/grids/grid_batch.h"

namespace copse::cpu {

namespace detail {

template <class Query>
struct MarchRay {
  Query query;
  void operator()(u64 i) const { copse::detail::march_robust(query, i); }
};

}  // namespace detail

/// Stores the results of n rays.
template <class Query>
void march_batch(const Executor& ex, const char* label, const Query& query, u64 n) {
  for_each(ex, label, n, detail::MarchRay<Query>{query});
}

}  // namespace copse::cpu
