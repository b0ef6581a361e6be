#include "trace/grid_rays.h"

#include "primitives/core/validation.h"
#include "trace/grids/dispatch_masked.h"

namespace copse {

namespace detail {

// The body: grid_rays.inl, for either executor.

/// `masks`: null if every ray sees every triangle.
template <class Executor, class Result>
void march_rays(const Executor& ex, const GridView& grid, std::span<const TriangleView> views,
                BufferSpan<const Ray> rays, const BatchMasks* masks, Result* results);

}  // namespace detail

namespace {

template <class Result>
void march_all(const char* function, Context& context, const GridView& grid, const TriangleViews& triangles,
               BufferSpan<const Ray> rays, BufferSpan<Result> results, BufferSpan<const u32> masks) {
  detail::check_grid(function, grid);
  detail::check_results(context, function, "rays", rays, results, &ValidationCounts::nan_rays);
  detail::dispatch_masked(function, "rays", context, triangles, masks, results,
                          [&](const auto& ex, const detail::BatchMasks* seen) {
                            detail::march_rays(ex, grid, triangles.views(), rays, seen, results.data());
                          });
}

}  // namespace

void closest_hits(Context& context, const GridView& grid, const TriangleViews& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<Hit> hits, const GridTraceOptions& options) {
  march_all("closest_hits", context, grid, triangles, rays, hits, options.masks);
}

void any_hits(Context& context, const GridView& grid, const TriangleViews& triangles, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded, const GridTraceOptions& options) {
  march_all("any_hits", context, grid, triangles, rays, occluded, options.masks);
}

}  // namespace copse
