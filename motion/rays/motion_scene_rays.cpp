#include "motion/motion_scene_rays.h"

#include "motion/build/motion_check.h"
#include "motion/rays/motion_calls.h"
#include "motion/rays/motion_scene_batch.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: motion_scene_rays.inl, for either executor.

/// Stores a result per ray: SceneHit for the closest hit, u8 for any.
template <class Executor, class Result>
void trace_motion_scene(const Executor& ex, const MotionSceneBatch& batch, BufferSpan<Result> results);

}  // namespace detail

namespace {

template <class Rays, class Result>
void trace(const char* function, Context& context, const MotionScene& scene, const Rays& rays,
           BufferSpan<Result> results, const MotionTraceOptions& options) {
  detail::check_motion(function, context, scene);
  const detail::MotionSceneBatch batch{detail::timed_rays(function, context, rays, results, options),
                                       scene.view()};
  dispatch(context, [&](const auto& ex) {
    detail::trace_timed_rays(
        batch, results, [&](const auto& part, auto of_part) { detail::trace_motion_scene(ex, part, of_part); });
  });
}

}  // namespace

void closest_hits(Context& context, const MotionScene& scene, BufferSpan<const Ray> rays,
                  BufferSpan<SceneHit> hits, const MotionTraceOptions& options) {
  trace("closest_hits", context, scene, rays, hits, options);
}

void closest_hits(Context& context, const MotionScene& scene, const RaySpan& rays, BufferSpan<SceneHit> hits,
                  const MotionTraceOptions& options) {
  trace("closest_hits", context, scene, rays, hits, options);
}

void any_hits(Context& context, const MotionScene& scene, BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
              const MotionTraceOptions& options) {
  trace("any_hits", context, scene, rays, occluded, options);
}

void any_hits(Context& context, const MotionScene& scene, const RaySpan& rays, BufferSpan<u8> occluded,
              const MotionTraceOptions& options) {
  trace("any_hits", context, scene, rays, occluded, options);
}

}  // namespace copse
