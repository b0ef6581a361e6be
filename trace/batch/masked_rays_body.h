#pragma once

#include <span>

#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/executor.h"
#include "primitives/core/span.h"
#include "trace/masked_triangles.h"
#include "trace/trace_options.h"

namespace copse::detail {

/// As trace_rays, for rays that pass over some triangles. Of the options `masks` is not looked at.
template <class Executor, class View, class Triangles, class Result>
void trace_masked_rays(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const Ray> rays,
                       Result* results, const BatchMasks& masks, const TraceOptions& options);

}  // namespace copse::detail
