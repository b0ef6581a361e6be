#pragma once

#include "accel/rays/hit_lists.cuh"
#include "accel/rays/store_hits.h"
#include "scene/nested_view.h"

namespace copse::cuda {

/// Contract: accel/rays/hit_lists.inl.
inline void trace_first_hits(const Executor& ex, const char* label,
                             const copse::detail::HitBatch<NestedSceneView>& batch, u32 k, NestedHit* hits,
                             u32* counts) {
  for_each_ray(ex, label, batch.rays.size(),
               copse::detail::StoreFirstHits<NestedSceneView>{batch, k, hits, counts});
}

}  // namespace copse::cuda
