#include "builders/geometry/make_triangle_table.h"
#include "trace/grids/grid_batch.h"

namespace copse::detail {

template <class Executor, class Source, class Result>
void march_with(const Executor& ex, const GridView& grid, const Source& source, BufferSpan<const Ray> rays,
                Result* results) {
  march_batch(ex, "grid march: rays", QueryFor<GridView, Source, Result>{{grid, source, rays.data(), results, 0}},
              rays.size());
}

template <class Executor, class Result>
void march_rays(const Executor& ex, const GridView& grid, std::span<const TriangleView> views,
                BufferSpan<const Ray> rays, const BatchMasks* masks, Result* results) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  if (masks == nullptr) {
    march_with(ex, grid, triangles, rays, results);
  } else {
    march_with(ex, grid, WithMasks{triangles, *masks}, rays, results);
  }
}

template void march_rays(const BodyExecutor&, const GridView&, std::span<const TriangleView>,
                         BufferSpan<const Ray>, const BatchMasks*, Hit*);
template void march_rays(const BodyExecutor&, const GridView&, std::span<const TriangleView>,
                         BufferSpan<const Ray>, const BatchMasks*, u8*);

}  // namespace copse::detail
