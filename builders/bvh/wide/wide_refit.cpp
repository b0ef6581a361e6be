#include <string>

#include "builders/bvh/refit.h"
#include "builders/bvh/wide/wide_refit_body.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace {

template <class Node>
void check(const WideBvh<Node>& tree, u64 primitive_count) {
  if (primitive_count != tree.source_count) {
    throw Error(ErrorCode::invalid_argument, "refit with " + std::to_string(primitive_count) +
                                                 " primitives of a tree built over " +
                                                 std::to_string(tree.source_count));
  }
  if (tree.nodes.empty()) throw Error(ErrorCode::invalid_argument, "refit of a tree that was never made");
}

}  // namespace

template <class Node>
void refit(Context& context, WideBvh<Node>& tree, const TriangleViews& triangles) {
  check(tree, triangles.primitive_count());
  ProfileScope scope(context.profile(), "refit");
  dispatch(context, [&](const auto& ex) {
    const u64 capacity = tree.nodes.size();
    context.reserve_scratch(detail::refit_wide_scratch_bytes<Node>(ex, capacity, triangles.views().size()));
    detail::refit_wide_over_triangles(ex, triangles.views(), capacity, detail::arrays_of(tree));
  });
}

template <class Node>
void refit(Context& context, WideBvh<Node>& tree, const BoxView& boxes) {
  check(tree, boxes.boxes.size());
  ProfileScope scope(context.profile(), "refit");
  dispatch(context, [&](const auto& ex) {
    const u64 capacity = tree.nodes.size();
    context.reserve_scratch(detail::refit_wide_scratch_bytes<Node>(ex, capacity, 1));
    detail::refit_wide_over_boxes(ex, boxes.boxes.data(), capacity, detail::arrays_of(tree));
  });
}

template void refit(Context&, Bvh4&, const TriangleViews&);
template void refit(Context&, Bvh4&, const BoxView&);
template void refit(Context&, CompressedBvh4&, const TriangleViews&);
template void refit(Context&, CompressedBvh4&, const BoxView&);
template void refit(Context&, CompressedBvh8&, const TriangleViews&);
template void refit(Context&, CompressedBvh8&, const BoxView&);

}  // namespace copse
