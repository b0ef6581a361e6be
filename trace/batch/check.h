#pragma once

// Checks of the arguments of batches through trees and grids. All throw Error invalid_argument.

#include <algorithm>
#include <string>

#include "builders/geometry/primitive_set.h"
#include "builders/grid/frustum_layout.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/core/validation.h"
#include "trace/trace_options.h"
#include "trace/tree_view.h"

namespace copse::detail {

/// Throws if the view is empty, as no tree was built for it.
template <class View>
void check_tree(const char* function, const View& bvh) {
  if (bvh.nodes.empty()) {
    refuse(function, "the tree has 0 nodes, it was never built; a tree without primitives has 1");
  }
}
inline void check_tree(const char* function, const TreeView& tree) {
  std::visit([function](const auto& view) { check_tree(function, view); }, tree);
}

/// Throws unless as many triangles were packed as the tree has primitive ids, and for this tree.
///   tree_ids: PackedTrianglesView::tree_ids
inline void check_packed(const char* function, u64 packed_count, const u32* tree_ids,
                         BufferSpan<const u32> primitive_ids) {
  if (packed_count != primitive_ids.size()) {
    refuse(function, "there are " + std::to_string(packed_count) +
                         " packed triangles, but the tree has room for " + std::to_string(primitive_ids.size()));
  }
  if (tree_ids != nullptr && tree_ids != primitive_ids.data()) {
    refuse(function, "the triangles were packed for another tree; pack_triangles packs them for this one");
  }
}

/// Throws if the view is empty, as no grid was built for it.
inline void check_grid(const char* function, const GridView& grid) {
  if (grid.shape.empty() || grid.cell_begins.size() < 2) {
    refuse(function, "the grid has 0 cells, it was never built; a grid without primitives has 1");
  }
}
inline void check_grid(const char* function, const FrustumGridView& grid) {
  if (grid.shape.empty() || grid.cells.cell_begins.size() < 2) {
    refuse(function, "the frustum grid has 0 cells, it was never built");
  }
}

/// Throws unless there are `count` masks, or none.
inline void check_masks(const char* function, const char* what, BufferSpan<const u32> masks, u64 count) {
  if (!masks.empty()) check_one_each(function, masks.size(), "masks", count, what);
  check_address(function, "masks", masks);
}

/// Throws if options are out of range, and unless there is one mask per ray, or none.
inline void check_trace_options(const char* function, const TraceOptions& options, u64 ray_count) {
  if (options.chosen.size() > 1) {
    refuse(function, "options.chosen has room for " + std::to_string(options.chosen.size()) +
                         " chosen kernels; it can have room for 0 or 1");
  }
  if (u32(options.kernel) > u32(TraceKernel::packets)) {
    refuse(function, "options.kernel is " + std::to_string(u32(options.kernel)) + "; it can be 0 to 3");
  }
  if (u32(options.cull) > u32(Cull::front)) {
    refuse(function, "options.cull is " + std::to_string(u32(options.cull)) + "; it can be 0 to 2");
  }
  check_masks(function, "rays", options.masks, ray_count);
}

/// Throws unless there is one more offset than queries, and unless no two lists overlap. `what`: the queries.
template <class Query, class Found>
void check_lists(const char* function, const char* what, BufferSpan<const Query> queries, BufferSpan<u64> offsets,
                 BufferSpan<Found> found) {
  if (offsets.size() != queries.size() + 1) {
    refuse(function, counted(offsets.size(), "offsets") + " for " + std::to_string(queries.size()) + " " + what +
                         ", one more is needed");
  }
  check_apart(function, what, queries, offsets);
  check_apart(function, what, queries, found);
  check_apart(function, "offsets", BufferSpan<const u64>(offsets), found);
}

/// The same. Where the context validates, also makes the checks of validate_span for all three.
template <class Query, class Found>
void check_lists(Context& context, const char* function, const char* what, BufferSpan<const Query> queries,
                 BufferSpan<u64> offsets, BufferSpan<Found> found, u64 ValidationCounts::*nan_count) {
  check_lists(function, what, queries, offsets, found);
  validate_queries(context, function, what, queries, nan_count);
  validate_span(context, function, "offsets", offsets);
  validate_span(context, function, "results", found);
}

/// True if a ray may pass over a triangle even with all bits set in its mask.
inline bool has_masks(const TriangleViews& triangles) {
  const auto views = triangles.views();
  return std::any_of(views.begin(), views.end(), [](const TriangleView& view) { return view.mask == 0; });
}

/// Calls work(executor, view) with the executor of the context's backend and the view as its own type.
template <class Work>
void dispatch_tree(Context& context, const TreeView& tree, const Work& work) {
  const auto run = [&](const auto& view) { dispatch(context, [&](const auto& ex) { work(ex, view); }); };
  std::visit(run, tree);
}

}  // namespace copse::detail
