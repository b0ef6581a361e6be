#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/splits.h"
#include "builders/geometry/primitive_set.h"

namespace copse {

struct LbvhOptions {
  /// Bits of a Morton key, 30 to 63, or 0 for the number that sorts fastest beside the numbers of the primitives:
  /// 31 up to 2^18 primitives, else 39, or as many as the numbers leave of 63. The bits go to the axes by the
  /// extents of the scene: a short axis gets its first bit when the longest axis has been halved to about its
  /// length. More bits keep close primitives of large scenes apart, at the cost of up to two more launches.
  u32 morton_bits = 63;

  /// Maximum primitives per leaf, 1 to 32. Subtrees of at most so many primitives become one leaf: fewer nodes,
  /// more intersection tests per leaf.
  u32 max_leaf_size = 1;

  /// How the top of the tree is made. Top::sah lowers the SAH cost, most in interiors, in a time that hardly
  /// depends on the number of primitives. Refits on CUDA then take as long as those of other trees.
  Top top = Top::as_built;

  /// true: on CUDA, rebuild() begins with the order of the primitives in the tree that it replaces, of any builder
  /// and over any number of primitives. The new tree is the same, byte for byte. On an H200 it takes longer than
  /// the full sort: docs/how-it-works/hlbvh.md has figures. Outside of a captured graph it then waits for one
  /// word. It takes about 26 bytes of scratch per primitive. Default: false. build() ignores it, and so do the CPU
  /// and builds with splits.
  bool from_last_order = false;

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

/// Returns a linear bounding volume hierarchy over triangles or boxes: the fastest build. Its leaves are in Morton
/// order. It is equal on all backends bit for bit. Any input builds a valid tree: primitives with a coordinate
/// that is infinite or NaN, and inverted boxes, are left out and counted (BvhCounts::invalid_count).
///
/// Triangle indices must be below the number of positions; the builder does not check them.
///
/// Source: Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012;
/// Apetrei, "Fast and Simple Agglomerative LBVH Construction", CGVC 2014.
/// Throws: Error invalid_argument if options are out of range, Error capacity past 2^31 primitives, Error
/// out_of_memory, Error cancelled.
/// Memory: see build_sizes.
COPSE_API Bvh build(Context& context, const TriangleViews& triangles, const LbvhOptions& options);
COPSE_API Bvh build(Context& context, const BoxView& boxes, const LbvhOptions& options);

/// Builds a new tree in the memory of `bvh`, which any builder may have made. It does not wait and, once warm,
/// does not allocate, so it can be captured in a Graph. After an error, rebuild the tree before you use it.
/// Throws: as build; Error invalid_argument for more primitives than bvh.primitive_capacity().
COPSE_API void rebuild(Context& context, Bvh& bvh, const TriangleViews& triangles, const LbvhOptions& options);
COPSE_API void rebuild(Context& context, Bvh& bvh, const BoxView& boxes, const LbvhOptions& options);

/// Returns the bytes that a build takes on this context for `primitive_count` triangles of `view_count` views. For
/// boxes, `view_count` is 0.
COPSE_API BuildSizes build_sizes(Context& context, u64 primitive_count, const LbvhOptions& options,
                                 u64 view_count = 1);

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
