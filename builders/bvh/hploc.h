#pragma once

#include "builders/bvh/bvh.h"
#include "builders/geometry/primitive_set.h"

namespace copse {

struct HplocOptions {
  /// How many places along the Morton curve a cluster looks for its nearest neighbour, 1 to 8; among the clusters
  /// of more than 256 leaves always 8. The time of a build grows with it; the quality of the tree hardly does
  /// past 3.
  u32 radius = 4;
  static constexpr u32 max_radius = 8;

  /// Morton bits of a key, as LbvhOptions::morton_bits: 30 to 63, or 0 for as many as sort fastest. The merges
  /// make up for the order of primitives that share their key, so that more bits hardly give a better tree, but
  /// for scenes with most primitives in a thousandth of their extent.
  u32 morton_bits = 0;

  /// Most primitives of a leaf, 1 to 32. Subtrees of the LBVH of so many primitives become one leaf before any
  /// clustering: fewer nodes and a faster build, more intersection tests a leaf.
  u32 max_leaf_size = 1;
};

/// A bounding volume hierarchy over triangles or boxes whose neighbours merge by the area of the box around both:
/// about as good to trace as a binned SAH build, at a few times the time of an LBVH. Equal on all backends bit for
/// bit, and from run to run. Any input builds a valid tree: primitives with a coordinate that is infinite or
/// NaN, and inverted boxes, are left out and counted (BvhCounts::invalid_count). Areas are compared in single
/// precision, to 16 bits of the mantissa: where they overflow or vanish, the order along the curve decides.
///
/// Triangle indices must be below the number of positions; the builder does not check them.
///
/// Source: Benthin, Meister, Barczak, Mehalwal, Tsakok, Kensler, "H-PLOC: Hierarchical Parallel Locally-Ordered
/// Clustering for Bounding Volume Hierarchy Construction", HPG 2024.
/// Throws: Error invalid_argument for options out of range, Error capacity past 2^31 primitives,
/// Error out_of_memory, Error cancelled.
/// Memory: see build_sizes.
Bvh build(Context& context, const TriangleViews& triangles, const HplocOptions& options);
Bvh build(Context& context, const BoxView& boxes, const HplocOptions& options);

/// Builds a fresh tree in the memory of `bvh`, whichever builder made it. Waits for nothing and, once warm,
/// allocates nothing, so that it can be captured in a Graph. After an error the tree must be rebuilt before it is
/// used.
/// Throws: as build; Error invalid_argument for more primitives than bvh.primitive_capacity().
void rebuild(Context& context, Bvh& bvh, const TriangleViews& triangles, const HplocOptions& options);
void rebuild(Context& context, Bvh& bvh, const BoxView& boxes, const HplocOptions& options);

/// Returns the bytes that a build takes on this context: over `primitive_count` triangles of `view_count` views,
/// or over as many boxes, which have 0 views.
BuildSizes build_sizes(Context& context, u64 primitive_count, const HplocOptions& options, u64 view_count = 1);

// Deprecated names, until 0.2.
[[deprecated("use build")]] inline Bvh build_hploc(Context& context, const TriangleViews& triangles,
                                                   const HplocOptions& options = {}) {
  return build(context, triangles, options);
}
[[deprecated("use build")]] inline Bvh build_hploc(Context& context, const BoxView& boxes,
                                                   const HplocOptions& options = {}) {
  return build(context, boxes, options);
}
[[deprecated("use rebuild")]] inline void rebuild_hploc(Context& context, Bvh& bvh, const TriangleViews& triangles,
                                                        const HplocOptions& options = {}) {
  rebuild(context, bvh, triangles, options);
}
[[deprecated("use rebuild")]] inline void rebuild_hploc(Context& context, Bvh& bvh, const BoxView& boxes,
                                                        const HplocOptions& options = {}) {
  rebuild(context, bvh, boxes, options);
}
[[deprecated("use build_sizes")]] inline BuildSizes hploc_sizes(Context& context, u64 primitive_count,
                                                                const HplocOptions& options = {},
                                                                u64 view_count = 1) {
  return build_sizes(context, primitive_count, options, view_count);
}

}  // namespace copse
