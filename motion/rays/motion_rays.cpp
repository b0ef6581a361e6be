#include "motion/motion_rays.h"

#include "motion/build/motion_check.h"
#include "motion/rays/motion_calls.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: motion_rays.inl, for either executor.

/// Stores a result per ray: Hit for the closest hit, u8 for any.
template <class Executor, class Result>
void trace_motion(const Executor& ex, const MotionBatch& batch, BufferSpan<Result> results);

}  // namespace detail

namespace {

template <class Rays, class Result>
void trace(const char* function, Context& context, const MotionAccel& accel, const Rays& rays,
           BufferSpan<Result> results, const MotionTraceOptions& options) {
  detail::check_motion(function, context, accel);
  const detail::MotionBatch batch{detail::timed_rays(function, context, rays, results, options), accel.view()};
  dispatch(context, [&](const auto& ex) {
    detail::trace_timed_rays(batch, results,
                             [&](const auto& part, auto of_part) { detail::trace_motion(ex, part, of_part); });
  });
}

}  // namespace

void closest_hits(Context& context, const MotionAccel& accel, BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                  const MotionTraceOptions& options) {
  trace("closest_hits", context, accel, rays, hits, options);
}

void closest_hits(Context& context, const MotionAccel& accel, const RaySpan& rays, BufferSpan<Hit> hits,
                  const MotionTraceOptions& options) {
  trace("closest_hits", context, accel, rays, hits, options);
}

void any_hits(Context& context, const MotionAccel& accel, BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
              const MotionTraceOptions& options) {
  trace("any_hits", context, accel, rays, occluded, options);
}

void any_hits(Context& context, const MotionAccel& accel, const RaySpan& rays, BufferSpan<u8> occluded,
              const MotionTraceOptions& options) {
  trace("any_hits", context, accel, rays, occluded, options);
}

}  // namespace copse
