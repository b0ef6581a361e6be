// Batches of rays through a scene of scenes. The cooperative stages are those of accel/rays/hit_lists.inl: a thread per
// ray.

#include "accel/rays/store_hits.h"
#include "scene/nested_view.h"

namespace copse::detail {

namespace {

template <class Result>
struct TraceNested {
  HitBatch<NestedSceneView> batch;
  Result* results;

  COPSE_HD void operator()(u64 i) const {
    const Ray ray = batch.rays.at(i);
    if constexpr (std::is_same_v<Result, NestedHit>) {
      results[i] = closest_hit(batch.view, ray, batch.mask_of(i), batch.cull);
    } else {
      results[i] = any_hit(batch.view, ray, batch.mask_of(i), batch.cull) ? 1 : 0;
    }
  }
};

}  // namespace

template <class Executor, class Result>
void trace_nested(const Executor& ex, const HitBatch<NestedSceneView>& batch, Result* results) {
  const char* const label = std::is_same_v<Result, NestedHit> ? "nested: closest hits" : "nested: any hits";
  for_each_ray(ex, label, batch.rays.size(), TraceNested<Result>{batch, results});
}

template void trace_nested(const BodyExecutor&, const HitBatch<NestedSceneView>&, NestedHit*);
template void trace_nested(const BodyExecutor&, const HitBatch<NestedSceneView>&, u8*);
template void store_first_hits(const BodyExecutor&, const HitBatch<NestedSceneView>&, u32, NestedHit*, u32*);
template void count_hits_of(const BodyExecutor&, const HitBatch<NestedSceneView>&, u32*);
template void find_hit_lists(const BodyExecutor&, const HitBatch<NestedSceneView>&, u64*, HitTarget<NestedHit>&);

}  // namespace copse::detail
