// Batches of rays through moving triangles.
//
// The cooperative stage, motion/rays/motion_rays_cpu.h and motion/rays/motion_rays.cuh:
//
//   trace_moving_rays(ex, label, query, n)     stores the results of rays 0 to n - 1 of a MotionQuery

#include "motion/rays/motion_batch.h"

namespace copse::detail {

template <class Executor, class Result>
void trace_motion(const Executor& ex, const MotionBatch& batch, BufferSpan<Result> results) {
  const char* const label = std::is_same_v<Result, Hit> ? "motion: closest hits" : "motion: any hits";
  const bool sees_all = batch.sees_all() && batch.accel.masks == nullptr;
  if (sees_all) {
    trace_moving_rays(ex, label, MotionQuery<Result, true>{batch, results.data()}, results.size());
  } else {
    trace_moving_rays(ex, label, MotionQuery<Result, false>{batch, results.data()}, results.size());
  }
}

template void trace_motion(const BodyExecutor&, const MotionBatch&, BufferSpan<Hit>);
template void trace_motion(const BodyExecutor&, const MotionBatch&, BufferSpan<u8>);

}  // namespace copse::detail
