#pragma once

// The entries of the body of a builder, for triangles and for boxes. For bodies: include the executor's primitives
// before.
//
// A body defines two functions for its type of options, and instantiates the three templates below for it:
//
//   build_over(ex, boxes, n, options, bvh)             builds the tree over boxes(0) to boxes(n - 1)
//   build_over_scratch_bytes(ex, n, kind, options)

#include <span>

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/triangle_table.h"

namespace copse::detail {

enum class PrimitiveKind { boxes, triangles };

template <class Executor, class Options>
void build_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n, const Options& options,
                          const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  build_over(ex, TriangleBoxes{make_triangle_table(ex, frame, views)}, n, options, bvh);
}

template <class Executor, class Options>
void build_over_boxes(const Executor& ex, const Aabb* boxes, u64 n, const Options& options, const BvhArrays& bvh) {
  bool splits_off_outliers = false;
  if constexpr (requires { options.splits_off_outliers; }) splits_off_outliers = options.splits_off_outliers;
  build_over(ex, CustomBoxes{boxes, splits_off_outliers}, n, options, bvh);
}

template <class Executor, class Options>
u64 build_scratch_bytes(const Executor& ex, u64 n, u64 view_count, const Options& options) {
  const PrimitiveKind kind = view_count > 0 ? PrimitiveKind::triangles : PrimitiveKind::boxes;
  return triangle_table_scratch_bytes(view_count) + build_over_scratch_bytes(ex, n, kind, options);
}

}  // namespace copse::detail
