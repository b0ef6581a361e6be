#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/ray_trees_view.h"

namespace copse {

/// A binary tree, the wide one that is made of it, and the triangles of both in the order of their leaves: rays
/// that stay together are traced fastest through the one, others through the other (trace/trace_trees.h). Owns its
/// memory.
///
///   copse::RayTrees trees = copse::make_ray_trees(context, copse::build_hploc(context, triangles), triangles);
///   copse::closest_hits(context, trees.view(), rays.span(), hits.span());
///
///   copse::refit(context, trees, moved_triangles);                    // same trees, new boxes
///   copse::rebuild_hploc(context, trees.binary, moved_triangles);     // or a fresh one, by any builder
///   copse::follow_binary_tree(context, trees, moved_triangles);
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

/// The trees of a binary tree, which any builder made over `triangles`.
/// Throws: as collapse and pack_triangles; Error invalid_argument for another number of triangles than the tree was
/// built over.
/// Memory: besides the binary tree's, for each triangle 96 bytes of packed triangles (8 more where a view has a
/// mask) and 72 of the wide tree; scratch as collapse. Waits for nothing.
RayTrees make_ray_trees(Context& context, Bvh binary, const TriangleViews& triangles,
                        const CollapseOptions& options = {});

/// Makes the wide tree and the packed triangles anew, after trees.binary was rebuilt. Waits for nothing and, once
/// warm, allocates nothing, so that it can be captured in a Graph along with the rebuild.
/// Throws: as make_ray_trees.
void follow_binary_tree(Context& context, RayTrees& trees, const TriangleViews& triangles);

/// Fits both trees to triangles that have moved, as refit of either does, and packs them again. Waits for nothing
/// and, once warm, allocates nothing.
///   triangles: as many as the trees were made over
/// Throws: Error invalid_argument for another number of triangles, Error out_of_memory, Error cancelled.
void refit(Context& context, RayTrees& trees, const TriangleViews& triangles);

}  // namespace copse
