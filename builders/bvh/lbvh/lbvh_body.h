#pragma once

#include <span>

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/lbvh.h"

namespace copse::detail {

template <class Executor>
void lbvh_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n,
                         const LbvhOptions& options, const BvhArrays& bvh);

template <class Executor>
void lbvh_over_boxes(const Executor& ex, const Aabb* boxes, u64 n, const LbvhOptions& options,
                     const BvhArrays& bvh);

template <class Executor>
u64 lbvh_scratch_bytes(const Executor& ex, u64 n, u64 view_count, const LbvhOptions& options);

}  // namespace copse::detail
