#pragma once

#include "trace/cpu/trace_rays.h"

namespace copse::cpu {

/// Contract: trace/masked_rays_with.h. As batches without masks.
template <class Query>
void trace_masked_batch(const Executor& ex, const char* label, TraceKernel kernel, const Query& query,
                        const copse::detail::BatchMasks& masks, u64 n, u32* chosen) {
  trace_batch(ex, label, kernel, query, n, chosen, &masks);
}

}  // namespace copse::cpu
