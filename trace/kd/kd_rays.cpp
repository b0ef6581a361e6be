#include "trace/kd_rays.h"

#include "primitives/core/validation.h"
#include "trace/grids/dispatch_masked.h"

namespace copse {

namespace detail {

// The body: kd_rays.inl, for either executor.

/// `masks`: null if every ray sees every triangle.
template <class Executor, class Result>
void walk_rays(const Executor& ex, const SahKdView& tree, std::span<const TriangleView> views,
               BufferSpan<const Ray> rays, const BatchMasks* masks, Result* results);

}  // namespace detail

namespace {

template <class Result>
void walk_all(const char* function, Context& context, const SahKdView& tree, const TriangleViews& triangles,
              BufferSpan<const Ray> rays, BufferSpan<Result> results, BufferSpan<const u32> masks) {
  detail::check_tree(function, tree);
  detail::check_results(context, function, "rays", rays, results, &ValidationCounts::nan_rays);
  detail::dispatch_masked(function, "rays", context, triangles, masks, results,
                          [&](const auto& ex, const detail::BatchMasks* seen) {
                            detail::walk_rays(ex, tree, triangles.views(), rays, seen, results.data());
                          });
}

}  // namespace

void closest_hits(Context& context, const SahKdView& tree, const TriangleViews& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<Hit> hits, BufferSpan<const u32> masks) {
  walk_all("closest_hits", context, tree, triangles, rays, hits, masks);
}

void any_hits(Context& context, const SahKdView& tree, const TriangleViews& triangles, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded, BufferSpan<const u32> masks) {
  walk_all("any_hits", context, tree, triangles, rays, occluded, masks);
}

}  // namespace copse
