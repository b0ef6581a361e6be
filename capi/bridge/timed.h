#pragma once

// What motions and scenes of moving instances share: rays with a time each.

#include "capi/bridge/trace.h"
#include "motion/motion_rays.h"

/// Scenes refer to motions, so these are shared.
struct copse_motion {
  std::shared_ptr<copse::capi::Owned<copse::MotionAccel>> owned;
};

namespace copse::capi {

/// The times of a caller.
struct GivenTimes {
  const float* times;  // null: all rays have `time`
  copse_memory memory;
  float time;
};

/// Calls trace(rays, results, options) with the times of a caller.
template <class Result, class Trace>
void trace_at_times(Context& context, const copse_rays* rays, const GivenTimes& times, void* results,
                    copse_memory memory, const copse_trace_options* options, const char* what,
                    const Trace& trace) {
  const u64 time_count = times.times == nullptr ? 0 : ray_count_of(rays);
  const Input<float> all(context, "times", times.times, time_count, times.memory);
  trace_batch<Result, MotionTraceOptions>(context, rays, results, memory, options, what,
                                          [&](const auto& of_caller, auto output, MotionTraceOptions of_batch) {
                                            of_batch.times = all.span();
                                            of_batch.time = times.time;
                                            trace(of_caller, output, of_batch);
                                          });
}

}  // namespace copse::capi
