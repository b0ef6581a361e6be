#pragma once

#include <span>

#include "builders/geometry/triangle.h"
#include "builders/grid/layout.h"
#include "primitives/core/executor.h"
#include "trace/ray.h"

namespace copse::detail {

template <class Executor>
void march_closest_hits(const Executor& ex, const GridView& grid, std::span<const TriangleView> views,
                        BufferSpan<const Ray> rays, Hit* hits);

template <class Executor>
void march_any_hits(const Executor& ex, const GridView& grid, std::span<const TriangleView> views,
                    BufferSpan<const Ray> rays, u8* occluded);

}  // namespace copse::detail
