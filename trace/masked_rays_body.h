#pragma once

#include <span>

#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/executor.h"
#include "primitives/core/span.h"
#include "trace/ray.h"

namespace copse::detail {

/// Masks of a batch: of the rays, or null; of packed triangles, or null.
struct BatchMasks {
  const u32* rays;
  const u32* packed;
};

/// As trace_rays, for rays that pass over some triangles.
template <class Executor, class View, class Triangles, class Result>
void trace_masked_rays(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const Ray> rays,
                       Result* results, const BatchMasks& masks, u32* chosen);

}  // namespace copse::detail
