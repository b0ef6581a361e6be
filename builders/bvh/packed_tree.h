#pragma once

// One compressed wide tree with its triangles in the order of its leaves, made straight from triangles. The binary
// tree of its builder stands in scratch and is gone afterwards.

#include <optional>

#include "builders/bvh/build.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/pack_triangles.h"
#include "builders/bvh/reinsert.h"
#include "builders/geometry/triangle_records.h"

namespace copse::detail {

struct PackedBuildOptions {
  AnyBuildOptions builder = HplocOptions{};

  /// Another builder, whose tree is taken if its inner nodes have at least 1 % less area. Both must make leaves of
  /// one triangle.
  std::optional<AnyBuildOptions> alternative = {};

  /// Room for references per triangle, for both trees: see reference_count. It replaces the option of the
  /// builders.
  float splits = 1;

  /// For both trees; none if passes is 0.
  ReinsertOptions reinsertion = {.passes = 0};
  CollapseOptions collapse = {};
};

/// Gives `tree` and `packed` room for `capacity` triangles, or for the references to as many. Builds nothing.
/// Throws: Error invalid_argument if `splits` is out of range, Error capacity past 2^31 triangles or references, Error
/// out_of_memory.
COPSE_API void make_packed(Context& context, u64 capacity, float splits, CompressedBvh4& tree,
                           PackedTriangles& packed);

/// Builds the tree over `triangles` in the memory of `tree`, and packs its triangles into that of `packed`. It
/// does not wait and, once warm, does not allocate, so it can be captured in a Graph.
///   triangles: any number that both have room for
/// Throws: as build, reinsert, collapse and pack_triangles; Error invalid_argument if there is too little room.
COPSE_API void build_packed(Context& context, CompressedBvh4& tree, PackedTriangles& packed,
                            const TriangleViews& triangles, const PackedBuildOptions& options);

/// Replaces `tree` and `packed` by the collapse of a binary tree over `triangles`.
/// Throws: as collapse and pack_triangles.
COPSE_API void collapse_packed(Context& context, const Bvh& bvh, const TriangleViews& triangles,
                               CompressedBvh4& tree, PackedTriangles& packed);

/// The same over records in host memory, for a context of the CPU.
COPSE_API void collapse_packed(Context& host, const Bvh& bvh, const TriangleRecords& triangles,
                               CompressedBvh4& tree, PackedTriangles& packed);

/// Fits the tree to triangles that have moved, and packs them again. Once warm it does not allocate. Each place of a
/// split triangle gets the box of the whole triangle.
///   triangles: as many as the tree was built over
/// Throws: as refit.
COPSE_API void refit_packed(Context& context, CompressedBvh4& tree, PackedTriangles& packed,
                            const TriangleViews& triangles);

/// A second set of boxes for a tree, with a second set of its triangles at other positions.
struct PackedCopy {
  BufferSpan<CompressedBvh4Node> nodes;  // with the links of the tree's nodes
  PackedTriangle* packed;                // room for all triangles of the tree
  u32* masks;                            // the same, or null
};

/// Fits a second set of boxes to its triangles, and packs these. The tree's own nodes may be the set. Once warm it does
/// not allocate.
///   triangles: as many as the tree was built over, in the same order
/// Throws: as refit.
COPSE_API void fit_packed_copy(Context& context, CompressedBvh4& tree, const PackedCopy& copy,
                               const TriangleViews& triangles);

/// Returns the bytes of scratch of fit_packed_copy.
COPSE_API u64 fit_packed_copy_scratch_bytes(Context& context, u64 node_count, u64 view_count);

/// Gives back the memory that the tree and its triangles do not use, and the tree's primitive ids, which the packed
/// triangles have too. They can be traced over the packed triangles, and refitted by refit_packed.
/// Throws: Error out_of_memory.
/// Waits: to read the counts.
COPSE_API void compact_packed(Context& context, CompressedBvh4& tree, PackedTriangles& packed);

/// Returns the bytes of the tree and of the packed triangles without masks, and those of the scratch of a build.
COPSE_API BuildSizes packed_sizes(Context& context, u64 triangle_count, const PackedBuildOptions& options,
                                  u64 view_count);

}  // namespace copse::detail
