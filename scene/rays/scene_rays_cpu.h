#pragma once

#include "primitives/cpu/for_each.h"
#include "scene/rays/scene_query.h"

namespace copse::cpu {

namespace detail {

template <class Query>
struct TraceSceneRay {
  Query query;

  void operator()(u64 i) const { query.results[i] = copse::detail::trace_robust(query, query.rays[i], i); }
};

}  // namespace detail

/// Contract: scene/rays/scene_rays.inl. Each ray is traced alone by the host, by SIMD in each mesh.
template <class Query>
void trace_scene_batch(const Executor& ex, const char* label, const Query& query, u64 n) {
  for_each(ex, label, n, detail::TraceSceneRay<Query>{query});
}

}  // namespace copse::cpu
