#include "scene/scene_hits.h"

#include "accel/rays/hit_list_calls.h"
#include "scene/build/scene_check.h"
#include "scene/scene_hit_view.h"

namespace copse {

namespace {

detail::HitListCalls<SceneView, SceneTraceOptions> calls(const char* function, Context& context,
                                                         const Scene& scene, const RaySpan& rays,
                                                         const SceneTraceOptions& options) {
  detail::check_scene(function, context, scene);
  return {function, context, scene.view(), rays, options};
}

}  // namespace

void first_hits(Context& context, const Scene& scene, const RaySpan& rays, BufferSpan<SceneHit> hits,
                BufferSpan<u32> counts, const SceneTraceOptions& options) {
  calls("first_hits", context, scene, rays, options).first(hits, counts);
}

void first_hits(Context& context, const Scene& scene, BufferSpan<const Ray> rays, BufferSpan<SceneHit> hits,
                BufferSpan<u32> counts, const SceneTraceOptions& options) {
  first_hits(context, scene, RaySpan::in_records(rays), hits, counts, options);
}

void count_hits(Context& context, const Scene& scene, const RaySpan& rays, BufferSpan<u32> counts,
                const SceneTraceOptions& options) {
  calls("count_hits", context, scene, rays, options).count(counts);
}

void count_hits(Context& context, const Scene& scene, BufferSpan<const Ray> rays, BufferSpan<u32> counts,
                const SceneTraceOptions& options) {
  count_hits(context, scene, RaySpan::in_records(rays), counts, options);
}

void find_hits(Context& context, const Scene& scene, const RaySpan& rays, BufferSpan<u64> offsets,
               BufferSpan<SceneHit> hits, const SceneTraceOptions& options) {
  calls("find_hits", context, scene, rays, options).find(offsets, hits);
}

void find_hits(Context& context, const Scene& scene, BufferSpan<const Ray> rays, BufferSpan<u64> offsets,
               BufferSpan<SceneHit> hits, const SceneTraceOptions& options) {
  find_hits(context, scene, RaySpan::in_records(rays), offsets, hits, options);
}

SceneHitLists all_hits(Context& context, const Scene& scene, const RaySpan& rays,
                       const SceneTraceOptions& options) {
  return calls("all_hits", context, scene, rays, options).all<SceneHitLists>();
}

SceneHitLists all_hits(Context& context, const Scene& scene, BufferSpan<const Ray> rays,
                       const SceneTraceOptions& options) {
  return all_hits(context, scene, RaySpan::in_records(rays), options);
}

}  // namespace copse
