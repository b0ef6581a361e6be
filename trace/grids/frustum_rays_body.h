#pragma once

#include <span>

#include "builders/geometry/triangle.h"
#include "builders/grid/frustum_layout.h"
#include "primitives/core/executor.h"
#include "trace/ray.h"

namespace copse::detail {

template <class Executor>
void trace_frustum_pixels(const Executor& ex, const FrustumGridView& grid, std::span<const TriangleView> views,
                          u32 width, u32 height, Hit* hits);

/// As trace_frustum_pixels for rays that pass over some triangles. `masks`: those of the rays, or null.
template <class Executor>
void trace_masked_pixels(const Executor& ex, const FrustumGridView& grid, std::span<const TriangleView> views,
                         u32 width, u32 height, const u32* masks, Hit* hits);

/// Stores the first ray that does not start at the eye or leaves the screen; the number of rays where all are
/// right.
template <class Executor>
void find_stray_ray(const Executor& ex, const FrustumGridView& grid, BufferSpan<const Ray> rays, u64* first);

template <class Executor>
void trace_frustum_rays(const Executor& ex, const FrustumGridView& grid, std::span<const TriangleView> views,
                        BufferSpan<const Ray> rays, Hit* hits);
template <class Executor>
void trace_masked_frustum_rays(const Executor& ex, const FrustumGridView& grid,
                               std::span<const TriangleView> views, BufferSpan<const Ray> rays, const u32* masks,
                               Hit* hits);

}  // namespace copse::detail
