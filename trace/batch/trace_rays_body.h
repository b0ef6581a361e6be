#pragma once

#include <span>

#include "builders/bvh/node.h"
#include "builders/bvh/wide_node.h"
#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/executor.h"
#include "trace/masked_triangles.h"
#include "trace/trace_options.h"

namespace copse::detail {

/// `Triangles`: std::span<const TriangleView> or BufferSpan<const PackedTriangle>. `Result`: Hit for the closest
/// hit, u8 for any. `masks`: null where every ray sees every triangle; options.masks is not looked at.
template <class Executor, class View, class Triangles, class Result>
void trace_rays(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const Ray> rays,
                Result* results, const BatchMasks* masks, const TraceOptions& options);

}  // namespace copse::detail
