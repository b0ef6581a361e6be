#pragma once

#include "builders/bvh/ray_trees_view.h"
#include "primitives/core/executor.h"
#include "trace/trace_trees.h"

namespace copse::detail {

/// Traces through the tree that suits the rays. `Result`: Hit for the closest hit, u8 for any. `chosen` may be
/// null.
template <class Executor, class Result>
void trace_trees(const Executor& ex, const RayTreesView& trees, BufferSpan<const Ray> rays, Result* results,
                 u32* chosen);

/// Adds the layout to a word that says which kernel traced.
template <class Executor>
void store_layout(const Executor& ex, TraceLayout layout, u32* chosen);

}  // namespace copse::detail
