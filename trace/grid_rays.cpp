#include "trace/grid_rays.h"

#include "primitives/core/dispatch.h"
#include "trace/check.h"
#include "trace/grid_rays_body.h"

namespace copse {

namespace {

template <class Result>
void check_arguments(const char* function, const GridView& grid, BufferSpan<const Ray> rays,
                     BufferSpan<Result> results) {
  if (grid.shape.empty() || grid.cell_begins.size() < 2) {
    detail::refuse(function, "the grid has 0 cells, even a grid without primitives has 1");
  }
  detail::check_results(function, "rays", rays, results);
}

}  // namespace

void closest_hits(Context& context, const GridView& grid, const TriangleViews& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<Hit> hits) {
  check_arguments("closest_hits", grid, rays, hits);
  dispatch(context,
           [&](const auto& ex) { detail::march_closest_hits(ex, grid, triangles.views(), rays, hits.data()); });
}

void any_hits(Context& context, const GridView& grid, const TriangleViews& triangles, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded) {
  check_arguments("any_hits", grid, rays, occluded);
  dispatch(context,
           [&](const auto& ex) { detail::march_any_hits(ex, grid, triangles.views(), rays, occluded.data()); });
}

}  // namespace copse
