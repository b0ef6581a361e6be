#pragma once

// Shared by the calls that trace batches of rays with a time.

#include <algorithm>
#include <string>

#include "accel/rays/ray_check.h"
#include "builders/geometry/triangle_check.h"
#include "motion/motion_rays.h"
#include "motion/rays/motion_batch.h"
#include "primitives/core/validation.h"
#include "trace/batch/check.h"

namespace copse::detail {

/// The maximum number of rays of one launch.
inline constexpr u64 max_timed_rays_at_once = u64{1} << 31;

template <class Result>
void check_motion_options(const char* function, Context& context, const MotionTraceOptions& options,
                          BufferSpan<Result> results) {
  check_masks(function, "rays", options.masks, results.size());
  check_apart(function, "masks", options.masks, results);
  if (!options.times.empty()) check_one_each(function, options.times.size(), "times", results.size(), "rays");
  check_address(function, "times", options.times);
  check_apart(function, "times", options.times, results);
  if (u32(options.cull) > u32(Cull::front)) {
    refuse(function, "options.cull is " + std::to_string(u32(options.cull)) + "; it can be 0 to 2");
  }
  validate_span(context, function, "times", options.times);
  validate_span(context, function, "masks", options.masks);
  validate_span(context, function, "results", results);
}

inline void take_motion_options(const MotionTraceOptions& options, TimedRays& rays) {
  rays.times = options.times.empty() ? nullptr : options.times.data();
  rays.time = options.time;
  rays.masks = options.masks.empty() ? nullptr : options.masks.data();
  rays.mask = options.mask;
  rays.cull = options.cull;
}

/// Checks rays in records, and returns them for kernels.
template <class Result>
TimedRays timed_rays(const char* function, Context& context, BufferSpan<const Ray> rays,
                     BufferSpan<Result> results, const MotionTraceOptions& options) {
  check_results(function, "rays", rays, results);
  check_motion_options(function, context, options, results);
  validate_floats(context, function, "rays", rays.data(), rays.size(), sizeof(Ray), &ValidationCounts::nan_rays);
  TimedRays timed;
  const bool stand_at_quads = reinterpret_cast<u64>(rays.data()) % alignof(Quad) == 0;
  timed.layout = stand_at_quads ? RayLayout::at_quads : RayLayout::in_records;
  timed.rays = rays.data();
  take_motion_options(options, timed);
  return timed;
}

/// The same for rays in any layout.
template <class Result>
TimedRays timed_rays(const char* function, Context& context, const RaySpan& rays, BufferSpan<Result> results,
                     const MotionTraceOptions& options) {
  check_rays(function, context, rays, results);
  check_motion_options(function, context, options, results);
  TimedRays timed;
  timed.layout = RayLayout::in_parts;
  timed.parts = rays;
  take_motion_options(options, timed);
  return timed;
}

/// Calls trace(batch, results) for parts of the batch that are small enough for a launch.
template <class Batch, class Result, class Trace>
void trace_timed_rays(Batch batch, BufferSpan<Result> results, const Trace& trace) {
  for (u64 first = 0; first < results.size(); first += max_timed_rays_at_once) {
    batch.first = first;
    trace(batch, results.subspan(first, std::min(max_timed_rays_at_once, results.size() - first)));
  }
}

}  // namespace copse::detail
