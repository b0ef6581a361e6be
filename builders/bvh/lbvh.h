#pragma once

#include "builders/bvh/bvh.h"
#include "builders/geometry/primitive_set.h"

namespace copse {

struct LbvhOptions {
  /// Morton bits of a key, 30 to 63, or 0 for as many as sort fastest beside the primitives' numbers: 31 up to
  /// 2^18 primitives, else 39, or what the numbers leave of 63. They go to the axes by the scene's extents: a
  /// short axis gets its first bit when the longest has been halved to about its length. More bits keep close
  /// primitives of large scenes apart; those that share so many are put in order in two more launches.
  u32 morton_bits = 63;

  /// Most primitives of a leaf, 1 to 32. Subtrees of so many primitives become one leaf: fewer nodes, more
  /// intersection tests a leaf.
  u32 max_leaf_size = 1;
};

/// A linear bounding volume hierarchy over triangles or boxes: leaves in Morton order, equal on all
/// backends bit for bit. Any input builds a valid tree: primitives with a coordinate that is infinite or
/// NaN, and inverted boxes, are left out and counted (BvhCounts::invalid_count).
///
/// Triangle indices must be below the number of positions; the builder does not check them.
///
/// Source: Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012;
/// Apetrei, "Fast and Simple Agglomerative LBVH Construction", CGVC 2014.
/// Throws: Error invalid_argument for options out of range, Error capacity past 2^31 primitives,
/// Error out_of_memory, Error cancelled.
/// Memory: see build_sizes.
Bvh build(Context& context, const TriangleViews& triangles, const LbvhOptions& options);
Bvh build(Context& context, const BoxView& boxes, const LbvhOptions& options);

/// Builds a fresh tree in the memory of `bvh`, whichever builder made it. Waits for nothing and, once warm,
/// allocates nothing, so that it can be captured in a Graph. After an error the tree must be rebuilt before it is
/// used.
/// Throws: as build; Error invalid_argument for more primitives than bvh.primitive_capacity().
void rebuild(Context& context, Bvh& bvh, const TriangleViews& triangles, const LbvhOptions& options);
void rebuild(Context& context, Bvh& bvh, const BoxView& boxes, const LbvhOptions& options);

/// Returns the bytes that a build takes on this context: over `primitive_count` triangles of `view_count` views,
/// or over as many boxes, which have 0 views.
BuildSizes build_sizes(Context& context, u64 primitive_count, const LbvhOptions& options, u64 view_count = 1);

// Deprecated names, until 0.2.
[[deprecated("use build")]] inline Bvh build_lbvh(Context& context, const TriangleViews& triangles,
                                                  const LbvhOptions& options = {}) {
  return build(context, triangles, options);
}
[[deprecated("use build")]] inline Bvh build_lbvh(Context& context, const BoxView& boxes,
                                                  const LbvhOptions& options = {}) {
  return build(context, boxes, options);
}
[[deprecated("use rebuild")]] inline void rebuild_lbvh(Context& context, Bvh& bvh, const TriangleViews& triangles,
                                                       const LbvhOptions& options = {}) {
  rebuild(context, bvh, triangles, options);
}
[[deprecated("use rebuild")]] inline void rebuild_lbvh(Context& context, Bvh& bvh, const BoxView& boxes,
                                                       const LbvhOptions& options = {}) {
  rebuild(context, bvh, boxes, options);
}

}  // namespace copse
