#pragma once

#include <span>

#include "builders/geometry/triangle.h"
#include "builders/grid/layout.h"
#include "primitives/core/executor.h"
#include "trace/ray.h"

namespace copse::detail {

template <class Executor, class Result>
void march_rays(const Executor& ex, const GridView& grid, std::span<const TriangleView> views,
                BufferSpan<const Ray> rays, Result* results);

/// `masks`: those of the rays, or null.
template <class Executor, class Result>
void march_masked_rays(const Executor& ex, const GridView& grid, std::span<const TriangleView> views,
                       BufferSpan<const Ray> rays, const u32* masks, Result* results);

}  // namespace copse::detail
