// The calls that trace a batch through one of two trees. If the layout does not depend on the rays, they call those
// of trace_rays.cpp. Otherwise the body takes a sample of the rays.

#include "trace/trace_trees.h"

#include <string>

#include "primitives/core/counted.h"
#include "primitives/core/dispatch.h"
#include "trace/batch/check.h"
#include "trace/trace_rays.h"

namespace copse {

namespace detail {

// The body: trace_trees.inl, for either executor.

/// Traces through the tree that suits the rays. `Result`: Hit for the closest hit, u8 for any. `chosen` may be
/// null.
template <class Executor, class Result>
void trace_trees(const Executor& ex, const RayTreesView& trees, BufferSpan<const Ray> rays, Result* results,
                 u32* chosen);

/// Adds the layout to a word that says which kernel traced.
template <class Executor>
void store_layout(const Executor& ex, TraceLayout layout, u32* chosen);

}  // namespace detail

namespace {

/// With fewer triangles the binary tree is at least as fast for all rays.
constexpr u64 min_for_wide = 64;

void check_trees(const char* function, const RayTreesView& trees) {
  detail::check_tree(function, trees.binary);
  detail::check_tree(function, trees.wide);
  if (trees.binary_triangles.size() != trees.binary.primitive_ids.size() ||
      trees.wide_triangles.size() != trees.wide.primitive_ids.size()) {
    detail::refuse(function, "there are " + std::to_string(trees.binary_triangles.size()) + " and " +
                                 std::to_string(trees.wide_triangles.size()) +
                                 " packed triangles, but the trees have room for " +
                                 std::to_string(trees.binary.primitive_ids.size()) + " and " +
                                 std::to_string(trees.wide.primitive_ids.size()));
  }
  if (trees.binary_masks.empty() != trees.wide_masks.empty()) {
    detail::refuse(function, "there are " + std::to_string(trees.binary_masks.size()) + " and " +
                                 detail::counted(trees.wide_masks.size(), "masks") +
                                 " of packed triangles, but both trees must have masks, or none of them");
  }
}

void check_options(const char* function, const TraceTreesOptions& options) {
  if (options.chosen.size() > 1) {
    detail::refuse(function, "options.chosen has room for " + std::to_string(options.chosen.size()) +
                                 " choices; it can have room for 0 or 1");
  }
  if (u32(options.layout) > u32(TraceLayout::wide)) {
    detail::refuse(function, "options.layout is " + std::to_string(u32(options.layout)) + "; it can be 0 to 2");
  }
}

/// The layout if it does not depend on the rays, else automatic.
TraceLayout known_layout(const RayTreesView& trees, const TraceTreesOptions& options) {
  if (options.layout != TraceLayout::automatic) return options.layout;
  if (trees.binary.primitive_ids.size() < min_for_wide) return TraceLayout::binary;
  const bool is_masked = !options.masks.empty() || !trees.binary_masks.empty();
  return is_masked ? TraceLayout::wide : TraceLayout::automatic;
}

void trace_one(Context& context, const TreeView& tree, const TraceTriangles& triangles, BufferSpan<const Ray> rays,
               BufferSpan<Hit> hits, const TraceOptions& options) {
  closest_hits(context, tree, triangles, rays, hits, options);
}
void trace_one(Context& context, const TreeView& tree, const TraceTriangles& triangles, BufferSpan<const Ray> rays,
               BufferSpan<u8> occluded, const TraceOptions& options) {
  any_hits(context, tree, triangles, rays, occluded, options);
}

template <class Result>
void trace(const char* function, Context& context, const RayTreesView& trees, BufferSpan<const Ray> rays,
           BufferSpan<Result> results, const TraceTreesOptions& options) {
  check_trees(function, trees);
  detail::check_results(function, "rays", rays, results);
  check_options(function, options);
  const TraceLayout layout = known_layout(trees, options);
  if (layout == TraceLayout::automatic) {
    dispatch(context,
             [&](const auto& ex) { detail::trace_trees(ex, trees, rays, results.data(), options.chosen.data()); });
    return;
  }
  const TraceOptions by_kernel{.chosen = options.chosen, .masks = options.masks};
  if (layout == TraceLayout::binary) {
    trace_one(context, trees.binary, {trees.binary_triangles, trees.binary_masks}, rays, results, by_kernel);
  } else {
    trace_one(context, trees.wide, {trees.wide_triangles, trees.wide_masks}, rays, results, by_kernel);
  }
  if (options.chosen.empty() || rays.empty()) return;
  dispatch(context, [&](const auto& ex) { detail::store_layout(ex, layout, options.chosen.data()); });
}

}  // namespace

void closest_hits(Context& context, const RayTreesView& trees, BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                  const TraceTreesOptions& options) {
  trace("closest_hits", context, trees, rays, hits, options);
}

void any_hits(Context& context, const RayTreesView& trees, BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
              const TraceTreesOptions& options) {
  trace("any_hits", context, trees, rays, occluded, options);
}

}  // namespace copse
