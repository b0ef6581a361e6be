#include "scene/nested_rays.h"

#include "accel/rays/hit_list_calls.h"
#include "scene/build/scene_check.h"
#include "scene/nested_view.h"

namespace copse {

namespace detail {

// The body: nested_rays.inl, for either executor.

/// Stores a result per ray: NestedHit for the closest hit, u8 for any.
template <class Executor, class Result>
void trace_nested(const Executor& ex, const HitBatch<NestedSceneView>& batch, Result* results);

}  // namespace detail

namespace {

using NestedCalls = detail::HitListCalls<NestedSceneView, SceneTraceOptions>;

NestedCalls nested_calls(const char* function, Context& context, const NestedScene& scene, const RaySpan& rays,
                         const SceneTraceOptions& options) {
  detail::check_scene(function, context, scene);
  return {function, context, scene.view(), rays, options};
}

template <class Result>
void trace(const NestedCalls& calls, BufferSpan<Result> results) {
  calls.check();
  detail::check_one_each(calls.function, results.size(), "results", calls.rays.size(), "rays");
  calls.check_apart_from(results);
  dispatch(calls.context, [&](const auto& ex) { detail::trace_nested(ex, calls.batch(), results.data()); });
}

}  // namespace

void closest_hits(Context& context, const NestedScene& scene, const RaySpan& rays, BufferSpan<NestedHit> hits,
                  const SceneTraceOptions& options) {
  trace(nested_calls("closest_hits", context, scene, rays, options), hits);
}

void closest_hits(Context& context, const NestedScene& scene, BufferSpan<const Ray> rays,
                  BufferSpan<NestedHit> hits, const SceneTraceOptions& options) {
  closest_hits(context, scene, RaySpan::in_records(rays), hits, options);
}

void any_hits(Context& context, const NestedScene& scene, const RaySpan& rays, BufferSpan<u8> occluded,
              const SceneTraceOptions& options) {
  trace(nested_calls("any_hits", context, scene, rays, options), occluded);
}

void any_hits(Context& context, const NestedScene& scene, BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
              const SceneTraceOptions& options) {
  any_hits(context, scene, RaySpan::in_records(rays), occluded, options);
}

void first_hits(Context& context, const NestedScene& scene, const RaySpan& rays, BufferSpan<NestedHit> hits,
                BufferSpan<u32> counts, const SceneTraceOptions& options) {
  nested_calls("first_hits", context, scene, rays, options).first(hits, counts);
}

void first_hits(Context& context, const NestedScene& scene, BufferSpan<const Ray> rays, BufferSpan<NestedHit> hits,
                BufferSpan<u32> counts, const SceneTraceOptions& options) {
  first_hits(context, scene, RaySpan::in_records(rays), hits, counts, options);
}

void count_hits(Context& context, const NestedScene& scene, const RaySpan& rays, BufferSpan<u32> counts,
                const SceneTraceOptions& options) {
  nested_calls("count_hits", context, scene, rays, options).count(counts);
}

void count_hits(Context& context, const NestedScene& scene, BufferSpan<const Ray> rays, BufferSpan<u32> counts,
                const SceneTraceOptions& options) {
  count_hits(context, scene, RaySpan::in_records(rays), counts, options);
}

void find_hits(Context& context, const NestedScene& scene, const RaySpan& rays, BufferSpan<u64> offsets,
               BufferSpan<NestedHit> hits, const SceneTraceOptions& options) {
  nested_calls("find_hits", context, scene, rays, options).find(offsets, hits);
}

void find_hits(Context& context, const NestedScene& scene, BufferSpan<const Ray> rays, BufferSpan<u64> offsets,
               BufferSpan<NestedHit> hits, const SceneTraceOptions& options) {
  find_hits(context, scene, RaySpan::in_records(rays), offsets, hits, options);
}

NestedHitLists all_hits(Context& context, const NestedScene& scene, const RaySpan& rays,
                        const SceneTraceOptions& options) {
  return nested_calls("all_hits", context, scene, rays, options).all<NestedHitLists>();
}

NestedHitLists all_hits(Context& context, const NestedScene& scene, BufferSpan<const Ray> rays,
                        const SceneTraceOptions& options) {
  return all_hits(context, scene, RaySpan::in_records(rays), options);
}

}  // namespace copse
