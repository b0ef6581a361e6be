// The calls that trace a batch through a scene. Batches whose rays see all triangles have bodies of their own,
// without checks of masks.

#include "scene/scene_rays.h"

#include <string>

#include "accel/rays/gathered_rays.h"
#include "primitives/core/dispatch.h"
#include "primitives/core/validation.h"
#include "scene/build/scene_check.h"
#include "scene/rays/scene_query.h"
#include "trace/batch/check.h"

namespace copse {

namespace detail {

// The body: scene_rays.inl, for either executor.

/// Stores a result per ray: SceneHit for the closest hit, u8 for any. `Sights`: FullSceneRays or MaskedSceneRays.
template <class Executor, class Sights, class Result>
void trace_scene(const Executor& ex, const SceneView& scene, const Sights& sights, BufferSpan<const Ray> rays,
                 BufferSpan<Result> results);

/// The same for a scene of one instance, of this accel.
template <class Executor, class Result>
void trace_lone_instance(const Executor& ex, const SceneView& scene, const AccelView& accel,
                         BufferSpan<const Ray> rays, BufferSpan<Result> results);

struct LoneInstance {
  /// Returns the accel of a scene that has one instance and one accel, or null.
  static const AccelView* accel_of(const Scene& scene) {
    const bool is_alone = scene.instance_count_ == 1 && scene.accels_.size() == 1 && scene.options_.opening <= 1;
    return is_alone && !scene.first_accel_.triangles.empty() ? &scene.first_accel_ : nullptr;
  }
};

}  // namespace detail

namespace {

template <class Result>
void trace(const char* function, Context& context, const Scene& scene, BufferSpan<const Ray> rays,
           BufferSpan<Result> results, const SceneTraceOptions& options) {
  detail::check_scene(function, context, scene);
  detail::check_results(function, "rays", rays, results);
  detail::check_masks(function, "rays", options.masks, rays.size());
  detail::check_apart(function, "masks", options.masks, results);
  if (u32(options.cull) > u32(Cull::front)) {
    detail::refuse(function, "options.cull is " + std::to_string(u32(options.cull)) + "; it can be 0 to 2");
  }
  detail::validate_floats(context, function, "rays", rays.data(), rays.size(), sizeof(Ray),
                          &ValidationCounts::nan_rays);
  detail::validate_span(context, function, "masks", options.masks);
  detail::validate_span(context, function, "results", results);
  const bool sees_all = options.masks.empty() && options.mask == ~u32{0} && options.cull == Cull::none;
  const SceneView view = scene.view();
  dispatch(context, [&](const auto& ex) {
    if (sees_all && !view.parts.has_masks) {
      const AccelView* const lone = detail::LoneInstance::accel_of(scene);
      if (lone != nullptr) return detail::trace_lone_instance(ex, view, *lone, rays, results);
      return detail::trace_scene(ex, view, detail::FullSceneRays{}, rays, results);
    }
    const u32* masks = options.masks.empty() ? nullptr : options.masks.data();
    const detail::MaskedSceneRays sights{masks, options.mask, options.cull};
    detail::trace_scene(ex, view, sights, rays, results);
  });
}

template <class Result>
void trace_any_layout(const char* function, Context& context, const Scene& scene, const RaySpan& rays,
                      BufferSpan<Result> results, const SceneTraceOptions& options) {
  detail::check_scene(function, context, scene);
  detail::check_rays(function, context, rays, results);
  detail::trace_gathered(function, context, rays, options,
                         [&](auto part, u64 first, const SceneTraceOptions& of_part) {
                           trace(function, context, scene, part, results.subspan(first, part.size()), of_part);
                         });
}

}  // namespace

void closest_hits(Context& context, const Scene& scene, BufferSpan<const Ray> rays, BufferSpan<SceneHit> hits,
                  const SceneTraceOptions& options) {
  trace("closest_hits", context, scene, rays, hits, options);
}

void closest_hits(Context& context, const Scene& scene, const RaySpan& rays, BufferSpan<SceneHit> hits,
                  const SceneTraceOptions& options) {
  trace_any_layout("closest_hits", context, scene, rays, hits, options);
}

void any_hits(Context& context, const Scene& scene, BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
              const SceneTraceOptions& options) {
  trace("any_hits", context, scene, rays, occluded, options);
}

void any_hits(Context& context, const Scene& scene, const RaySpan& rays, BufferSpan<u8> occluded,
              const SceneTraceOptions& options) {
  trace_any_layout("any_hits", context, scene, rays, occluded, options);
}

}  // namespace copse
