#pragma once

#include <span>

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/executor.h"

namespace copse::detail {

template <class Executor>
void refit_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n, const BvhArrays& bvh,
                          bool may_have_deltas);

template <class Executor>
void refit_over_boxes(const Executor& ex, const Aabb* boxes, u64 n, const BvhArrays& bvh, bool may_have_deltas);

/// Scratch for a tree over `n` triangles of `view_count` views, or over boxes, which are of 0 views.
template <class Executor>
u64 refit_scratch_bytes(const Executor& ex, u64 n, u64 view_count);

}  // namespace copse::detail
