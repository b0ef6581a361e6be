#include "trace/grid_rays.h"

#include "primitives/core/dispatch.h"
#include "trace/batch/check_grid.h"
#include "trace/batch/check_masks.h"
#include "trace/grids/grid_rays_body.h"

namespace copse {

namespace {

template <class Result>
void march_all(const char* function, Context& context, const GridView& grid, const TriangleViews& triangles,
               BufferSpan<const Ray> rays, BufferSpan<Result> results, BufferSpan<const u32> masks) {
  detail::check_grid(function, grid);
  detail::check_results(function, "rays", rays, results);
  detail::check_masks(function, "rays", masks, rays.size());
  detail::check_apart(function, "masks", masks, results);
  dispatch(context, [&](const auto& ex) {
    if (masks.empty() && !detail::has_masks(triangles)) {
      detail::march_rays(ex, grid, triangles.views(), rays, results.data());
    } else {
      detail::march_masked_rays(ex, grid, triangles.views(), rays, masks.data(), results.data());
    }
  });
}

}  // namespace

void closest_hits(Context& context, const GridView& grid, const TriangleViews& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<Hit> hits, BufferSpan<const u32> masks) {
  march_all("closest_hits", context, grid, triangles, rays, hits, masks);
}

void any_hits(Context& context, const GridView& grid, const TriangleViews& triangles, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded, BufferSpan<const u32> masks) {
  march_all("any_hits", context, grid, triangles, rays, occluded, masks);
}

}  // namespace copse
