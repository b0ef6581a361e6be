#pragma once

#include "primitives/cpu/for_each.h"
#include "trace/ray_queries.h"
#include "trace/trace_options.h"

namespace copse::cpu {

/// Contract: trace/trace_rays.inl. One ray after another, whatever kernel is asked for.
template <class Query>
void trace_batch(const Executor& ex, const char* label, TraceKernel, const Query& query, u64 n, u32* chosen) {
  for_each(ex, label, n, copse::detail::TraceOne<Query>{query});
  if (chosen != nullptr) *chosen = u32(TraceKernel::one_ray_a_thread);
}

}  // namespace copse::cpu
