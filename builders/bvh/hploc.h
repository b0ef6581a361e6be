#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/splits.h"
#include "builders/geometry/primitive_set.h"

namespace copse {

struct HplocOptions {
  /// How many places along the Morton curve a cluster searches for its nearest neighbour, 1 to 8. Ranges of more
  /// than 256 leaves always search 8 places. The time of a build grows with the radius; the quality of the tree
  /// hardly grows past 3.
  u32 radius = 4;
  static constexpr u32 max_radius = 8;

  /// Bits of a Morton key, 30 to 63, or 0 for the number that sorts fastest, as LbvhOptions::morton_bits. Merges
  /// make up for the order of primitives that share a key. So more bits hardly give a better tree, except in
  /// scenes with most primitives in a thousandth of their extent.
  u32 morton_bits = 0;

  /// Maximum primitives per leaf, 1 to 32. Subtrees of the LBVH of at most so many primitives become one leaf
  /// before any clustering: fewer nodes and a faster build, more intersection tests per leaf.
  u32 max_leaf_size = 1;

  /// How the top of the tree is made. Top::sah lowers the SAH cost, most in interiors, in a time that hardly
  /// depends on the number of primitives.
  Top top = Top::as_built;

  /// Room for references per triangle: 1 to max_splits. Above 1, triangles that fill their boxes badly are split
  /// into parts before the build: see builders/bvh/splits.h. Rays get faster where triangles are large or long
  /// and lie across the axes; build, memory and refit grow by the factor. Default: 1, no splits. Boxes cannot be
  /// split.
  float splits = 1;

  /// true: boxes that are far from most others get a subtree and a grid of keys of their own. Without it, one box
  /// that is 10^6 times as far away as all others gives these equal keys, and so no order. It costs a short
  /// launch. Scenes use it for their instances. It has no effect on triangles. Default: false.
  bool splits_off_outliers = false;
};

/// Returns a bounding volume hierarchy over triangles or boxes in which neighbours merge by the area of the box
/// around both. It traces about as fast as a binned SAH tree, and takes up to twice as long to build as an LBVH.
/// It is equal on all backends bit for bit, and from run to run. Any input builds a valid tree: primitives with a
/// coordinate that is infinite or NaN, and inverted boxes, are left out and counted (BvhCounts::invalid_count).
/// Areas are compared in single precision, to 16 bits of the mantissa. If they overflow or vanish, the Morton
/// order decides.
///
/// Triangle indices must be below the number of positions; the builder does not check them.
///
/// Source: Benthin, Meister, Barczak, Mehalwal, Tsakok, Kensler, "H-PLOC: Hierarchical Parallel Locally-Ordered
/// Clustering for Bounding Volume Hierarchy Construction", HPG 2024.
/// Throws: Error invalid_argument if options are out of range, Error capacity past 2^31 primitives, Error
/// out_of_memory, Error cancelled.
/// Memory: see build_sizes.
COPSE_API Bvh build(Context& context, const TriangleViews& triangles, const HplocOptions& options);
COPSE_API Bvh build(Context& context, const BoxView& boxes, const HplocOptions& options);

/// Builds a new tree in the memory of `bvh`, which any builder may have made. It does not wait and, once warm,
/// does not allocate, so it can be captured in a Graph. After an error, rebuild the tree before you use it.
/// Throws: as build; Error invalid_argument for more primitives than bvh.primitive_capacity().
COPSE_API void rebuild(Context& context, Bvh& bvh, const TriangleViews& triangles, const HplocOptions& options);
COPSE_API void rebuild(Context& context, Bvh& bvh, const BoxView& boxes, const HplocOptions& options);

/// Returns the bytes that a build takes on this context for `primitive_count` triangles of `view_count` views. For
/// boxes, `view_count` is 0.
COPSE_API BuildSizes build_sizes(Context& context, u64 primitive_count, const HplocOptions& options,
                                 u64 view_count = 1);

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
