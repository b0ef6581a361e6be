#include "motion/motion_rays.h"

#include <algorithm>
#include <string>

#include "accel/rays/ray_check.h"
#include "builders/geometry/triangle_check.h"
#include "motion/build/motion_check.h"
#include "motion/rays/motion_batch.h"
#include "primitives/core/dispatch.h"
#include "trace/batch/check.h"

namespace copse {

namespace detail {

// The body: motion_rays.inl, for either executor.

/// Stores a result per ray: Hit for the closest hit, u8 for any.
template <class Executor, class Result>
void trace_motion(const Executor& ex, const MotionBatch& batch, BufferSpan<Result> results);

}  // namespace detail

namespace {

/// The maximum number of rays of one launch.
constexpr u64 max_rays_at_once = u64{1} << 31;

template <class Result>
void check_options(const char* function, Context& context, const MotionTraceOptions& options,
                   BufferSpan<Result> results) {
  detail::check_masks(function, "rays", options.masks, results.size());
  detail::check_apart(function, "masks", options.masks, results);
  if (!options.times.empty()) {
    detail::check_one_each(function, options.times.size(), "times", results.size(), "rays");
  }
  detail::check_address(function, "times", options.times);
  detail::check_apart(function, "times", options.times, results);
  if (u32(options.cull) > u32(Cull::front)) {
    detail::refuse(function, "options.cull is " + std::to_string(u32(options.cull)) + "; it can be 0 to 2");
  }
  detail::validate_memory(context, std::string(function) + ": times", options.times.data());
  detail::validate_memory(context, std::string(function) + ": results", results.data());
}

/// Traces all rays of a batch, which has their addresses.
template <class Result>
void trace(Context& context, detail::MotionBatch batch, const MotionTraceOptions& options,
           BufferSpan<Result> results) {
  batch.times = options.times.empty() ? nullptr : options.times.data();
  batch.time = options.time;
  batch.masks = options.masks.empty() ? nullptr : options.masks.data();
  batch.mask = options.mask;
  batch.cull = options.cull;
  dispatch(context, [&](const auto& ex) {
    for (u64 first = 0; first < results.size(); first += max_rays_at_once) {
      batch.first = first;
      const u64 count = std::min(max_rays_at_once, results.size() - first);
      detail::trace_motion(ex, batch, results.subspan(first, count));
    }
  });
}

template <class Result>
void trace_records(const char* function, Context& context, const MotionAccel& accel, BufferSpan<const Ray> rays,
                   BufferSpan<Result> results, const MotionTraceOptions& options) {
  detail::check_motion_accel(function, context, accel);
  detail::check_results(function, "rays", rays, results);
  check_options(function, context, options, results);
  detail::validate_memory(context, std::string(function) + ": rays", rays.data());
  detail::MotionBatch batch{.accel = accel.view()};
  const bool stand_at_quads = reinterpret_cast<u64>(rays.data()) % alignof(detail::Quad) == 0;
  batch.layout = stand_at_quads ? detail::RayLayout::at_quads : detail::RayLayout::in_records;
  batch.rays = rays.data();
  trace(context, batch, options, results);
}

template <class Result>
void trace_parts(const char* function, Context& context, const MotionAccel& accel, const RaySpan& rays,
                 BufferSpan<Result> results, const MotionTraceOptions& options) {
  detail::check_motion_accel(function, context, accel);
  detail::check_rays(function, context, rays, results);
  check_options(function, context, options, results);
  detail::MotionBatch batch{.accel = accel.view()};
  batch.layout = detail::RayLayout::in_parts;
  batch.parts = rays;
  trace(context, batch, options, results);
}

}  // namespace

void closest_hits(Context& context, const MotionAccel& accel, BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                  const MotionTraceOptions& options) {
  trace_records("closest_hits", context, accel, rays, hits, options);
}

void closest_hits(Context& context, const MotionAccel& accel, const RaySpan& rays, BufferSpan<Hit> hits,
                  const MotionTraceOptions& options) {
  trace_parts("closest_hits", context, accel, rays, hits, options);
}

void any_hits(Context& context, const MotionAccel& accel, BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
              const MotionTraceOptions& options) {
  trace_records("any_hits", context, accel, rays, occluded, options);
}

void any_hits(Context& context, const MotionAccel& accel, const RaySpan& rays, BufferSpan<u8> occluded,
              const MotionTraceOptions& options) {
  trace_parts("any_hits", context, accel, rays, occluded, options);
}

}  // namespace copse
