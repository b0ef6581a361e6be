#pragma once

// Rays of batches through a uniform grid, for the kernels of both backends.
// Query: ClosestHits or AnyHits of trace/batch/ray_queries.h, with a GridView in place of the tree.

#include "trace/batch/ray_queries.h"
#include "trace/grid_march.h"

namespace copse::detail {

template <class Query>
COPSE_HD inline void march_robust(const Query& query, u64 i) {
  auto test = query.template test<Robustness::robust>(query.rays[i], i);
  NoCounter counter;
  const float limit = march(query.tree, query.rays[i], test, counter);
  query.results[i] = query.result(test, limit, i);
}

/// False if the ray gave up. Then its result is not stored.
template <class Query>
COPSE_HD inline bool march_fast(const Query& query, u64 i) {
  const Ray ray = query.rays[i];
  auto test = query.template test<Robustness::fast>(ray, i);
  float limit;
  if (!march_fast(query.tree, ray, test, limit) || test.gives_up) return false;
  query.results[i] = query.result(test, limit, i);
  return true;
}

}  // namespace copse::detail
