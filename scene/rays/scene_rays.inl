// Batches of rays through a scene, a thread per ray.
//
// The cooperative stage, scene/rays/scene_rays_cpu.h and scene/rays/scene_rays.cuh:
//
//   trace_each(ex, label, n, trace)     calls trace(i) for rays 0 to n - 1

#include "scene/rays/scene_batch.h"

namespace copse::detail {

namespace {

template <class Result>
struct TraceScene {
  SceneBatch batch;
  Result* results;

  COPSE_HD void operator()(u64 i) const {
    const u32 mask = batch.masks == nullptr ? batch.mask : batch.masks[i] & batch.mask;
    if constexpr (std::is_same_v<Result, SceneHit>) {
      results[i] = closest_hit(batch.scene, batch.rays[i], mask, batch.cull);
    } else {
      results[i] = any_hit(batch.scene, batch.rays[i], mask, batch.cull) ? 1 : 0;
    }
  }
};

}  // namespace

template <class Executor, class Result>
void trace_scene(const Executor& ex, const SceneBatch& batch, BufferSpan<Result> results) {
  const char* const label = std::is_same_v<Result, SceneHit> ? "scene: closest hits" : "scene: any hits";
  trace_each(ex, label, results.size(), TraceScene<Result>{batch, results.data()});
}

template void trace_scene(const BodyExecutor&, const SceneBatch&, BufferSpan<SceneHit>);
template void trace_scene(const BodyExecutor&, const SceneBatch&, BufferSpan<u8>);

}  // namespace copse::detail
