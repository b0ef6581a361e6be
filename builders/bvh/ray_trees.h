#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/ray_trees_view.h"

namespace copse {

/// A binary tree, the wide tree made of it, and the triangles of both in the order of their leaves. Coherent rays
/// are traced fastest through the binary tree, others through the wide one (trace/trace_trees.h). Owns its memory.
///
///   const copse::HplocOptions hploc;
///   copse::RayTrees trees = copse::make_ray_trees(context, copse::build(context, triangles, hploc), triangles);
///   copse::closest_hits(context, trees.view(), rays.span(), hits.span());
///
///   copse::refit(context, trees, moved_triangles);                   // same trees, new boxes
///
///   copse::rebuild(context, trees.binary, moved_triangles, hploc);   // or new trees, by any builder
///   copse::collapse(context, trees, moved_triangles);
struct RayTrees {
  Bvh binary;
  PackedTriangles binary_triangles;
  CompressedBvh4 wide;
  PackedTriangles wide_triangles;
  CollapseOptions collapse_options;

  RayTreesView view() const {
    return {binary.view(), binary_triangles.view(), binary_triangles.masks.span(),
            wide.view(),   wide_triangles.view(),   wide_triangles.masks.span()};
  }

  u64 size_bytes() const {
    return binary.size_bytes() + wide.size_bytes() + binary_triangles.size_bytes() + wide_triangles.size_bytes();
  }
};

/// Returns the trees for rays of a binary tree that any builder made over `triangles`. It does not wait.
/// Throws: as collapse and pack_triangles; Error invalid_argument if the tree was built over another number of
/// triangles.
/// Memory: besides that of the binary tree, for each triangle 96 bytes of packed triangles (8 more if a view has a
/// mask) and 72 bytes of the wide tree; scratch as collapse.
COPSE_API RayTrees make_ray_trees(Context& context, Bvh binary, const TriangleViews& triangles,
                                  const CollapseOptions& options = {});

/// Collapses trees.binary again, after a rebuild, and packs the triangles of both trees again. It does not wait
/// and, once warm, does not allocate, so it can be captured in a Graph together with the rebuild.
///   triangles: those that trees.binary was rebuilt over
/// Throws: as make_ray_trees.
COPSE_API void collapse(Context& context, RayTrees& trees, const TriangleViews& triangles);

/// Fits both trees to triangles that have moved, as refit does for each, and packs them again. It does not wait
/// and, once warm, does not allocate.
///   triangles: as many as the trees were made over
/// Throws: Error invalid_argument for another number of triangles, Error out_of_memory, Error cancelled.
COPSE_API void refit(Context& context, RayTrees& trees, const TriangleViews& triangles);

// Deprecated names, until 0.2.
[[deprecated("use collapse")]] inline void follow_binary_tree(Context& context, RayTrees& trees,
                                                              const TriangleViews& triangles) {
  collapse(context, trees, triangles);
}

}  // namespace copse
