#include "builders/geometry/make_triangle_table.h"
#include "trace/grids/grid_batch.h"
#include "trace/grids/grid_rays_body.h"

namespace copse::detail {

template <class Executor, class Result>
void march_rays(const Executor& ex, const GridView& grid, std::span<const TriangleView> views,
                BufferSpan<const Ray> rays, Result* results) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  march_batch(ex, rays.size(), GridBatch<Result>{grid, triangles, rays.data(), results});
}

template <class Executor, class Result>
void march_masked_rays(const Executor& ex, const GridView& grid, std::span<const TriangleView> views,
                       BufferSpan<const Ray> rays, const u32* masks, Result* results) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  for_each(ex, "grid march: rays with masks", rays.size(),
           MaskedGridBatch<Result>{{grid, triangles, rays.data(), results}, masks});
}

#define COPSE_MARCHES_FOR(Result)                                                                      \
  template void march_rays(const BodyExecutor&, const GridView&, std::span<const TriangleView>,        \
                           BufferSpan<const Ray>, Result*);                                            \
  template void march_masked_rays(const BodyExecutor&, const GridView&, std::span<const TriangleView>, \
                                  BufferSpan<const Ray>, const u32*, Result*)

COPSE_MARCHES_FOR(Hit);
COPSE_MARCHES_FOR(u8);

#undef COPSE_MARCHES_FOR

}  // namespace copse::detail
