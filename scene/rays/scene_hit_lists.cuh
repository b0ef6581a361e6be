#pragma once

#include "accel/rays/hit_lists.cuh"
#include "accel/rays/store_hits.h"
#include "scene/scene_hit_view.h"

namespace copse::cuda {

/// Contract: accel/rays/hit_lists.inl. It uses a thread per ray. Persistent warps were slower here, by half for
/// primary rays: the state of a ray between the levels takes their registers.
inline void trace_first_hits(const Executor& ex, const char* label,
                             const copse::detail::HitBatch<SceneView>& batch, u32 k, SceneHit* hits, u32* counts) {
  for_each_ray(ex, label, batch.rays.size(), copse::detail::StoreFirstHits<SceneView>{batch, k, hits, counts});
}

}  // namespace copse::cuda
