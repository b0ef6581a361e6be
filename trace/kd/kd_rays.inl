// Rays of a batch through a kd-tree of triangles, one per thread.

#include "builders/geometry/make_triangle_table.h"
#include "trace/batch/ray_queries.h"
#include "trace/kd_walk.h"

namespace copse::detail {

template <class Query>
struct WalkRay {
  Query query;
  COPSE_HD void operator()(u64 i) const {
    auto test = query.template test<Robustness::robust>(query.rays[i], i);
    NoCounter counter;
    const float limit = traverse(query.tree, query.rays[i], test, counter);
    query.results[i] = query.result(test, limit, i);
  }
};

template <class Executor, class Source, class Result>
void walk_with(const Executor& ex, const SahKdView& tree, const Source& source, BufferSpan<const Ray> rays,
               Result* results) {
  using Query = QueryFor<SahKdView, Source, Result>;
  for_each(ex, "SAH kd-tree: rays", rays.size(), WalkRay<Query>{Query{{tree, source, rays.data(), results, 0}}});
}

template <class Executor, class Result>
void walk_rays(const Executor& ex, const SahKdView& tree, std::span<const TriangleView> views,
               BufferSpan<const Ray> rays, const BatchMasks* masks, Result* results) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  if (masks == nullptr) {
    walk_with(ex, tree, triangles, rays, results);
  } else {
    walk_with(ex, tree, WithMasks{triangles, *masks}, rays, results);
  }
}

template void walk_rays(const BodyExecutor&, const SahKdView&, std::span<const TriangleView>,
                        BufferSpan<const Ray>, const BatchMasks*, Hit*);
template void walk_rays(const BodyExecutor&, const SahKdView&, std::span<const TriangleView>,
                        BufferSpan<const Ray>, const BatchMasks*, u8*);

}  // namespace copse::detail
