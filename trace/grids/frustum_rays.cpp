// The calls that trace pictures and rays through a frustum grid. Rays must start at the eye and pass the screen: a
// pass over the batch finds the first one that does not.

#include "trace/frustum_rays.h"

#include "primitives/core/buffer.h"
#include "primitives/core/counted.h"
#include "primitives/core/validation.h"
#include "trace/grids/dispatch_masked.h"

namespace copse {

namespace detail {

// The body: frustum_rays.inl, for either executor.

/// `masks`: null if every ray sees every triangle.
template <class Executor>
void trace_frustum_pixels(const Executor& ex, const FrustumGridView& grid, std::span<const TriangleView> views,
                          u32 width, u32 height, const BatchMasks* masks, Hit* hits);
template <class Executor>
void trace_frustum_rays(const Executor& ex, const FrustumGridView& grid, std::span<const TriangleView> views,
                        BufferSpan<const Ray> rays, const BatchMasks* masks, Hit* hits);

/// Stores the number of the first ray that does not start at the eye or leaves the screen. Stores the number of
/// rays if there is none.
template <class Executor>
void find_stray_ray(const Executor& ex, const FrustumGridView& grid, BufferSpan<const Ray> rays, u64* first);

}  // namespace detail

namespace {

constexpr const char* function = "closest_hits";

void check_picture(u32 width, u32 height, u64 hit_count) {
  constexpr u32 max_pixels = 65536;
  if (width == 0 || height == 0 || width > max_pixels || height > max_pixels) {
    detail::refuse(function, "the picture has " + std::to_string(width) + " x " + std::to_string(height) +
                                 " pixels; its width and height can be 1 to " + std::to_string(max_pixels));
  }
  if (hit_count != u64{width} * height) {
    detail::refuse(function, "there is room for " + detail::counted(hit_count, "results") +
                                 ", but the number of pixels is " + std::to_string(u64{width} * height));
  }
}

void check_rays(Context& context, const FrustumGridView& grid, BufferSpan<const Ray> rays) {
  Buffer<u64> first(context, 1);
  dispatch(context, [&](const auto& ex) { detail::find_stray_ray(ex, grid, rays, first.data()); });
  const u64 stray = first.download()[0];
  if (stray == rays.size()) return;
  detail::refuse(function,
                 "ray " + std::to_string(stray) + " of " + std::to_string(rays.size()) +
                     " does not start at the eye of the frustum, or starts behind it, or misses its screen");
}

}  // namespace

void closest_hits(Context& context, const FrustumGridView& grid, const TriangleViews& triangles, u32 width,
                  u32 height, BufferSpan<Hit> hits, const GridTraceOptions& options) {
  detail::check_grid(function, grid);
  check_picture(width, height, hits.size());
  detail::dispatch_masked(function, "pixels", context, triangles, options.masks, hits,
                          [&](const auto& ex, const detail::BatchMasks* seen) {
                            detail::trace_frustum_pixels(ex, grid, triangles.views(), width, height, seen,
                                                         hits.data());
                          });
}

void closest_hits(Context& context, const FrustumGridView& grid, const TriangleViews& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<Hit> hits, const GridTraceOptions& options) {
  detail::check_grid(function, grid);
  detail::check_results(context, function, "rays", rays, hits, &ValidationCounts::nan_rays);
  if (rays.size() > 0xffffffffu) {
    detail::refuse(function,
                   "there are " + std::to_string(rays.size()) + " rays; there can be at most 4294967295");
  }
  check_rays(context, grid, rays);
  detail::dispatch_masked(function, "rays", context, triangles, options.masks, hits,
                          [&](const auto& ex, const detail::BatchMasks* seen) {
                            detail::trace_frustum_rays(ex, grid, triangles.views(), rays, seen, hits.data());
                          });
}

}  // namespace copse
