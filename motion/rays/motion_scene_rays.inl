// Batches of rays through moving instances.
//
// The cooperative stage, motion/rays/motion_scene_rays_cpu.h and motion/rays/motion_scene_rays.cuh:
//
//   trace_moving_scene(ex, label, query, n)     stores the results of rays 0 to n - 1 of a MotionSceneQuery

#include "motion/rays/motion_scene_batch.h"

namespace copse::detail {

template <class Executor, class Result>
void trace_motion_scene(const Executor& ex, const MotionSceneBatch& batch, BufferSpan<Result> results) {
  const char* const label =
      std::is_same_v<Result, SceneHit> ? "motion scene: closest hits" : "motion scene: any hits";
  if (batch.sees_all() && !batch.scene.parts.has_masks) {
    trace_moving_scene(ex, label, MotionSceneQuery<Result, true>{batch, results.data()}, results.size());
  } else {
    trace_moving_scene(ex, label, MotionSceneQuery<Result, false>{batch, results.data()}, results.size());
  }
}

template void trace_motion_scene(const BodyExecutor&, const MotionSceneBatch&, BufferSpan<SceneHit>);
template void trace_motion_scene(const BodyExecutor&, const MotionSceneBatch&, BufferSpan<u8>);

}  // namespace copse::detail
