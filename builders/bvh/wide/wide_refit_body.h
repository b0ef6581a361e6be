#pragma once

#include <span>

#include "builders/bvh/wide/wide_arrays.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// `node_capacity`: nodes that the tree has room for.
template <class Executor, class Node>
void refit_wide_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 node_capacity,
                               const WideArrays<Node>& tree);

template <class Executor, class Node>
void refit_wide_over_boxes(const Executor& ex, const Aabb* boxes, u64 node_capacity, const WideArrays<Node>& tree);

template <class Node, class Executor>
u64 refit_wide_scratch_bytes(const Executor& ex, u64 node_capacity, u64 view_count);

}  // namespace copse::detail
