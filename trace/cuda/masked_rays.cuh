#pragma once

#include "primitives/cuda/for_each.cuh"
#include "trace/masked_triangles.h"
#include "trace/ray_queries.h"
#include "trace/trace_options.h"

namespace copse::cuda {

namespace detail {

/// Walks wholly for ray i.
template <class Query>
struct TraceMaskedRay {
  Query query;
  copse::detail::BatchMasks masks;

  __device__ void operator()(u64 i) const {
    using namespace copse::detail;
    const Ray ray = query.rays[i];
    StackEntry entries[default_stack_size];
    Walk<typename Query::Tree, default_stack_size> walk(query.tree, entries);
    walk.begin(ray);
    const auto all = query.template test<Effort::whole>(ray);
    MaskedTest test(all, masks.of(all.triangles), masks.of_ray(i));
    NoCounter counter;
    walk_to_end(walk, test, counter);
    query.results[i] = query.template result<Effort::whole>(test, walk.limit());
  }
};

struct StoreWord {
  u32 value;
  u32* out;
  __device__ void operator()(u64) const { *out = value; }
};

}  // namespace detail

/// Contract: trace/masked_rays_with.h. A thread for each ray, whatever the kernel.
template <class Query>
void trace_masked_batch(const Executor& ex, const char* label, TraceKernel, const Query& query,
                        const copse::detail::BatchMasks& masks, u64 n, u32* chosen) {
  for_each(ex, label, n, detail::TraceMaskedRay<Query>{query, masks});
  if (chosen == nullptr || n == 0) return;
  for_each(ex, "trace: chosen", 1, detail::StoreWord{u32(TraceKernel::one_ray_a_thread), chosen});
}

}  // namespace copse::cuda
