#include "builders/bvh/refit.h"

#include <span>
#include <string>

#include "builders/built_check.h"
#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/validate.h"
#include "builders/bvh/wide/wide_tree.h"
#include "builders/geometry/triangle_check.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: refit.inl, for either executor.

template <class Executor>
void refit_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n, const BvhArrays& bvh,
                          bool may_have_deltas);
template <class Executor>
void refit_over_boxes(const Executor& ex, const Aabb* boxes, u64 n, const BvhArrays& bvh, bool may_have_deltas);

/// Scratch for a tree over `n` triangles of `view_count` views, or over boxes, which are of 0 views.
template <class Executor>
u64 refit_scratch_bytes(const Executor& ex, u64 n, u64 view_count);

/// `node_capacity`: the nodes that the tree has room for.
template <class Executor, class Node>
void refit_wide_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 node_capacity,
                               const WideArrays<Node>& tree);
template <class Executor, class Node>
void refit_wide_over_boxes(const Executor& ex, const Aabb* boxes, u64 node_capacity, const WideArrays<Node>& tree);

template <class Node, class Executor>
u64 refit_wide_scratch_bytes(const Executor& ex, u64 node_capacity, u64 view_count);

}  // namespace detail

namespace {

template <class Tree>
void check(const Tree& tree, u64 primitive_count) {
  if (primitive_count != tree.source_count) {
    detail::refuse("refit", detail::counted(primitive_count, "primitives") + ", but the tree was built over " +
                                std::to_string(tree.source_count));
  }
}

template <class Node>
void check_wide(const WideBvh<Node>& tree, u64 primitive_count) {
  check(tree, primitive_count);
  if (tree.nodes.empty()) detail::refuse("refit", "the tree was never made");
}

}  // namespace

void refit(Context& context, Bvh& bvh, const TriangleViews& triangles) {
  const u64 n = triangles.primitive_count();
  check(bvh, n);
  detail::validate_triangles(context, "refit", triangles);
  ProfileScope scope(context.profile(), "refit");
  dispatch(context, [&](const auto& ex) {
    const u64 places = bvh.place_count();
    context.reserve_scratch(detail::refit_scratch_bytes(ex, places, triangles.views().size()));
    detail::refit_over_triangles(ex, triangles.views(), places, detail::arrays_of(bvh),
                                 detail::BvhAccess::deltas(bvh).may_refit);
  });
  detail::validate_tree_built(context, "refit", bvh, triangles, true);
}

void refit(Context& context, Bvh& bvh, const BoxView& boxes) {
  const u64 n = boxes.boxes.size();
  check(bvh, n);
  detail::validate_span(context, "refit", "boxes", boxes.boxes);
  ProfileScope scope(context.profile(), "refit");
  dispatch(context, [&](const auto& ex) {
    const u64 places = bvh.place_count();
    context.reserve_scratch(detail::refit_scratch_bytes(ex, places, 0));
    detail::refit_over_boxes(ex, boxes.boxes.data(), places, detail::arrays_of(bvh),
                             detail::BvhAccess::deltas(bvh).may_refit);
  });
  detail::validate_tree_built(context, "refit", bvh, boxes, true);
}

template <class Node>
void refit(Context& context, WideBvh<Node>& tree, const TriangleViews& triangles) {
  check_wide(tree, triangles.primitive_count());
  detail::validate_triangles(context, "refit", triangles);
  ProfileScope scope(context.profile(), "refit");
  dispatch(context, [&](const auto& ex) {
    const u64 capacity = tree.nodes.size();
    context.reserve_scratch(detail::refit_wide_scratch_bytes<Node>(ex, capacity, triangles.views().size()));
    detail::refit_wide_over_triangles(ex, triangles.views(), capacity, detail::arrays_of(tree));
  });
  detail::validate_tree_built(context, "refit", tree, triangles, true);
}

template <class Node>
void refit(Context& context, WideBvh<Node>& tree, const BoxView& boxes) {
  check_wide(tree, boxes.boxes.size());
  detail::validate_span(context, "refit", "boxes", boxes.boxes);
  ProfileScope scope(context.profile(), "refit");
  dispatch(context, [&](const auto& ex) {
    const u64 capacity = tree.nodes.size();
    context.reserve_scratch(detail::refit_wide_scratch_bytes<Node>(ex, capacity, 1));
    detail::refit_wide_over_boxes(ex, boxes.boxes.data(), capacity, detail::arrays_of(tree));
  });
  detail::validate_tree_built(context, "refit", tree, boxes, true);
}

template COPSE_API void refit(Context&, Bvh4&, const TriangleViews&);
template COPSE_API void refit(Context&, Bvh4&, const BoxView&);
template COPSE_API void refit(Context&, CompressedBvh4&, const TriangleViews&);
template COPSE_API void refit(Context&, CompressedBvh4&, const BoxView&);
template COPSE_API void refit(Context&, CompressedBvh8&, const TriangleViews&);
template COPSE_API void refit(Context&, CompressedBvh8&, const BoxView&);

}  // namespace copse
