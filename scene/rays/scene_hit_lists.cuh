#pragma once

#include "accel/rays/hit_lists.cuh"
#include "accel/rays/store_hits.h"
#include "scene/scene_hit_view.h"

namespace copse::cuda {

namespace detail {

/// StoreFirstHits for rays that see all triangles. The list of a ray is built in the memory of its results.
struct StoreFirstOfAllHits {
  copse::detail::HitBatch<SceneView> batch;
  u32 k;
  SceneHit* hits;
  u32* counts;

  __device__ void operator()(u64 i) const {
    using Search = copse::detail::HitSearch<SceneView>;
    copse::detail::FirstHits<Search::Order> first{Search::order_of(batch.view), hits + i * k, k};
    Search::run_seeing_all<default_stack_size>(batch.view, batch.rays.at(i), first);
    first.finish();
    counts[i] = first.count;
  }
};

}  // namespace detail

/// Contract: accel/rays/hit_lists.inl. It uses a thread per ray. Persistent warps were slower here, by half for
/// primary rays: the state of a ray between the levels takes their registers.
inline void trace_first_hits(const Executor& ex, const char* label,
                             const copse::detail::HitBatch<SceneView>& batch, u32 k, SceneHit* hits, u32* counts) {
  const u64 n = batch.rays.size();
  if (batch.hides_nothing() && !batch.view.parts.has_masks) {
    return for_each_ray(ex, label, n, detail::StoreFirstOfAllHits{batch, k, hits, counts});
  }
  for_each_ray(ex, label, n, copse::detail::StoreFirstHits<SceneView>{batch, k, hits, counts});
}

}  // namespace copse::cuda
