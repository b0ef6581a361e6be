#include "builders/geometry/triangle_table.h"
#include "trace/grid_rays_body.h"
#include "trace/masked_grids.h"

namespace copse::detail {

namespace {

template <class Result>
struct MarchRay {
  GridView grid;
  TriangleTable triangles;
  const Ray* rays;
  Result* results;
  COPSE_HD void operator()(u64 i) const {
    if constexpr (std::is_same_v<Result, Hit>) {
      results[i] = closest_hit(grid, triangles, rays[i]);
    } else {
      results[i] = any_hit(grid, triangles, rays[i]) ? 1 : 0;
    }
  }
};

template <class Result>
struct MarchMaskedRay {
  GridView grid;
  TriangleTable triangles;
  const Ray* rays;
  const u32* masks;
  Result* results;
  COPSE_HD void operator()(u64 i) const {
    const u32 mask = masks == nullptr ? ~u32{0} : masks[i];
    if constexpr (std::is_same_v<Result, Hit>) {
      results[i] = closest_hit_masked(grid, triangles, rays[i], mask);
    } else {
      results[i] = any_hit_masked(grid, triangles, rays[i], mask) ? 1 : 0;
    }
  }
};

}  // namespace

template <class Executor, class Result>
void march_rays(const Executor& ex, const GridView& grid, std::span<const TriangleView> views,
                BufferSpan<const Ray> rays, Result* results) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  for_each(ex, "grid march: rays", rays.size(), MarchRay<Result>{grid, triangles, rays.data(), results});
}

template <class Executor, class Result>
void march_masked_rays(const Executor& ex, const GridView& grid, std::span<const TriangleView> views,
                       BufferSpan<const Ray> rays, const u32* masks, Result* results) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  for_each(ex, "grid march: rays with masks", rays.size(),
           MarchMaskedRay<Result>{grid, triangles, rays.data(), masks, results});
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
