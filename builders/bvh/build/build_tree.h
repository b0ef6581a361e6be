#pragma once

// The calls that every builder of binary trees offers: the sizes, a tree in new memory, a tree in the memory of
// another. For the builders' .cpp files.
//
// A Builder names its parts:
//   Options                                                the public options
//   label                                                  of its stage
//   has_deltas(options)                                    whether it makes trees of deltas, see Bvh
//   check(options)                                         throws for options out of range
//   scratch_bytes(ex, n, view_count, options)              the body's; 0 views for boxes
//   over_triangles(ex, views, n, options, arrays)
//   over_boxes(ex, boxes, n, options, arrays)

#include "builders/bvh/build/build_arguments.h"
#include "builders/bvh/build/bvh_arrays.h"
#include "builders/geometry/primitive_set.h"
#include "primitives/core/dispatch.h"

namespace copse::detail {

template <class Builder>
void check_build(u64 primitive_count, const typename Builder::Options& options) {
  Builder::check(options);
  check_primitive_count(primitive_count);
}

template <class Builder>
BuildSizes tree_sizes(Context& context, u64 primitive_count, const typename Builder::Options& options,
                      u64 view_count) {
  check_build<Builder>(primitive_count, options);
  BuildSizes sizes;
  sizes.result_bytes = bvh_bytes(primitive_count);
  sizes.scratch_bytes = dispatch(
      context, [&](const auto& ex) { return Builder::scratch_bytes(ex, primitive_count, view_count, options); });
  return sizes;
}

/// Calls build(executor, arrays of the tree) with the tree checked and scratch at hand.
template <class Builder, class Build>
void rebuild_tree(Context& context, Bvh& bvh, u64 primitive_count, u64 view_count,
                  const typename Builder::Options& options, const Build& build) {
  const BuildSizes sizes = tree_sizes<Builder>(context, primitive_count, options, view_count);
  check_room(bvh, primitive_count);
  context.reserve_scratch(sizes.scratch_bytes);
  ProfileScope scope(context.profile(), Builder::label);
  dispatch(context, [&](const auto& ex) { build(ex, arrays_of(bvh)); });
  bvh.source_count = primitive_count;
  bvh.max_leaf_size = options.max_leaf_size;
  if (!context.device().capturing()) bvh.may_refit_by_deltas = Builder::has_deltas(options);
}

template <class Builder>
void rebuild_tree(Context& context, Bvh& bvh, const TriangleViews& triangles,
                  const typename Builder::Options& options) {
  const u64 n = triangles.primitive_count();
  rebuild_tree<Builder>(context, bvh, n, triangles.views().size(), options,
                        [&](const auto& ex, const BvhArrays& arrays) {
                          Builder::over_triangles(ex, triangles.views(), n, options, arrays);
                        });
}

template <class Builder>
void rebuild_tree(Context& context, Bvh& bvh, const BoxView& boxes, const typename Builder::Options& options) {
  const u64 n = boxes.boxes.size();
  rebuild_tree<Builder>(context, bvh, n, 0, options, [&](const auto& ex, const BvhArrays& arrays) {
    Builder::over_boxes(ex, boxes.boxes.data(), n, options, arrays);
  });
}

inline u64 primitive_count_of(const TriangleViews& triangles) {
  return triangles.primitive_count();
}
inline u64 primitive_count_of(const BoxView& boxes) {
  return boxes.boxes.size();
}

template <class Builder, class Primitives>
Bvh build_tree(Context& context, const Primitives& primitives, const typename Builder::Options& options) {
  const u64 n = primitive_count_of(primitives);
  check_build<Builder>(n, options);
  Bvh bvh = make_bvh(context, n);
  rebuild_tree<Builder>(context, bvh, primitives, options);
  return bvh;
}

}  // namespace copse::detail
