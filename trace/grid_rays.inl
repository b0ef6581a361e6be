#include "builders/geometry/triangle_table.h"
#include "trace/grid_march.h"
#include "trace/grid_rays_body.h"

namespace copse::detail {

namespace {

struct MarchClosest {
  GridView grid;
  TriangleTable triangles;
  const Ray* rays;
  Hit* hits;
  COPSE_HD void operator()(u64 i) const { hits[i] = closest_hit(grid, triangles, rays[i]); }
};

struct MarchAny {
  GridView grid;
  TriangleTable triangles;
  const Ray* rays;
  u8* occluded;
  COPSE_HD void operator()(u64 i) const { occluded[i] = any_hit(grid, triangles, rays[i]) ? 1 : 0; }
};

}  // namespace

template <class Executor>
void march_closest_hits(const Executor& ex, const GridView& grid, std::span<const TriangleView> views,
                        BufferSpan<const Ray> rays, Hit* hits) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  for_each(ex, "grid march: closest hits", rays.size(), MarchClosest{grid, triangles, rays.data(), hits});
}

template <class Executor>
void march_any_hits(const Executor& ex, const GridView& grid, std::span<const TriangleView> views,
                    BufferSpan<const Ray> rays, u8* occluded) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  for_each(ex, "grid march: any hits", rays.size(), MarchAny{grid, triangles, rays.data(), occluded});
}

template void march_closest_hits(const BodyExecutor&, const GridView&, std::span<const TriangleView>,
                                 BufferSpan<const Ray>, Hit*);
template void march_any_hits(const BodyExecutor&, const GridView&, std::span<const TriangleView>,
                             BufferSpan<const Ray>, u8*);

}  // namespace copse::detail
