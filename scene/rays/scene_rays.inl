// Batches of rays through a scene.
//
// The cooperative stage, scene/rays/scene_rays_cpu.h and scene/rays/scene_rays.cuh:
//
//   trace_scene_batch(ex, label, query, n)     writes the results of rays 0 to n - 1 of the query (scene_query.h,
//                                              lone_instance.h)

#include "scene/rays/lone_instance.h"

namespace copse::detail {

template <class Executor, class Sights, class Result>
void trace_scene(const Executor& ex, const SceneView& scene, const Sights& sights, BufferSpan<const Ray> rays,
                 BufferSpan<Result> results) {
  using Query = SceneQuery<Result, Sights>;
  const char* const label = Query::finds_closest ? "scene: closest hits" : "scene: any hits";
  const Query query{tree_of(scene.tree), scene.parts, sights, rays.data(), results.data()};
  trace_scene_batch(ex, label, query, rays.size());
}

template <class Executor, class Result>
void trace_lone_instance(const Executor& ex, const SceneView& scene, const AccelView& accel,
                         BufferSpan<const Ray> rays, BufferSpan<Result> results) {
  using Query = LoneInstanceQuery<Result>;
  const char* const label = Query::finds_closest ? "scene: closest hits" : "scene: any hits";
  trace_scene_batch(ex, label, Query(scene.parts, accel, rays, results.data()), rays.size());
}

template void trace_lone_instance(const BodyExecutor&, const SceneView&, const AccelView&, BufferSpan<const Ray>,
                                  BufferSpan<SceneHit>);
template void trace_lone_instance(const BodyExecutor&, const SceneView&, const AccelView&, BufferSpan<const Ray>,
                                  BufferSpan<u8>);

#define COPSE_TRACE_SCENE(Sights, Result)                                                                \
  template void trace_scene(const BodyExecutor&, const SceneView&, const Sights&, BufferSpan<const Ray>, \
                            BufferSpan<Result>)

COPSE_TRACE_SCENE(FullSceneRays, SceneHit);
COPSE_TRACE_SCENE(FullSceneRays, u8);
COPSE_TRACE_SCENE(MaskedSceneRays, SceneHit);
COPSE_TRACE_SCENE(MaskedSceneRays, u8);

#undef COPSE_TRACE_SCENE

}  // namespace copse::detail
