#pragma once

#include "motion/rays/motion_scene_batch.h"
#include "primitives/cpu/for_each.h"

namespace copse::cpu {

namespace detail {

template <class Query>
struct TraceMovingSceneRay {
  Query query;

  void operator()(u64 i) const { query.results[i] = query.trace_robust(i); }
};

}  // namespace detail

/// Contract: motion/rays/motion_scene_rays.inl. Each ray is traced alone by the host, by SIMD in meshes with fixed
/// vertices.
template <class Query>
void trace_moving_scene(const Executor& ex, const char* label, const Query& query, u64 n) {
  for_each(ex, label, n, detail::TraceMovingSceneRay<Query>{query});
}

}  // namespace copse::cpu
