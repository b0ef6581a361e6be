#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/splits.h"
#include "builders/bvh/stats.h"
#include "builders/geometry/primitive_set.h"

namespace copse {

struct SahOptions {
  /// Bins along each axis, 2 to 32, by which nodes of more than 32 primitives are split. Smaller nodes try every
  /// place. The time of a build hardly depends on it.
  u32 bin_count = 32;
  static constexpr u32 max_bin_count = 32;

  /// Maximum primitives per leaf, 1 to 32. A node of at most so many becomes a leaf if that costs no more than
  /// its best split by `costs`: fewer nodes, more intersection tests per leaf. Above 1 the build takes 72 bytes of
  /// scratch more per primitive.
  u32 max_leaf_size = 1;

  /// Passes of rotations over the finished tree, 0 to 8. Each node may swap a child with a grandchild, or two
  /// grandchildren, if that lowers the area of its children. The first pass lowers the SAH cost by 0.1 % to 5 %,
  /// most in interiors; every further pass by less, in the time of a refit or two.
  u32 rotation_passes = 1;

  /// The costs that decide about leaves: finite and not negative, the intersection cost above 0. They have no
  /// effect if leaves have one primitive.
  SahCosts costs = {};

  /// Room for references per triangle: 1 to max_splits. Above 1, triangles that fill their boxes
  /// badly are split into parts before the build: see builders/bvh/splits.h. Rays get faster where triangles are
  /// large or long and lie across the axes; build, memory and refit grow by the factor. Default: 1, no splits.
  /// Boxes cannot be split.
  float splits = 1;
};

/// Returns a bounding volume hierarchy over triangles or boxes, split from the root down where the surface area
/// heuristic expects the lowest cost. It makes the fastest trees to trace of most scenes, in about ten times
/// the time of H-PLOC. It is equal on all backends bit for bit, and from run to run. Any input builds a valid
/// tree: primitives with a coordinate that is infinite or NaN, and inverted boxes, are left out and counted
/// (BvhCounts::invalid_count).
///
/// A node of more than 32 primitives is split between bins of centroids along one of the three axes, a smaller one
/// between any two of its centroids. Ties go to the lower axis and the lower place. Where all centroids fall into
/// one bin, and 96 levels below the root, a node is split in the middle of its primitives as they stand. So, for
/// any input, depth is at most 160 before rotations, and work at most 160 passes over the primitives.
///
/// Triangle indices must be below the number of positions; the builder does not check them.
///
/// Source: MacDonald, Booth, "Heuristics for Ray Tracing Using Space Subdivision", The Visual Computer, 1990, for
/// the cost; Wald, "On Fast Construction of SAH-Based Bounding Volume Hierarchies", RT 2007, for the bins.
/// Throws: Error invalid_argument if options are out of range, Error capacity past 2^31 primitives, Error
/// out_of_memory, Error cancelled.
/// Memory: see build_sizes.
COPSE_API Bvh build(Context& context, const TriangleViews& triangles, const SahOptions& options);
COPSE_API Bvh build(Context& context, const BoxView& boxes, const SahOptions& options);

/// Builds a new tree in the memory of `bvh`, which any builder may have made. It does not wait and, once warm,
/// does not allocate, so it can be captured in a Graph. After an error, rebuild the tree before you use it.
/// Throws: as build; Error invalid_argument for more primitives than bvh.primitive_capacity().
COPSE_API void rebuild(Context& context, Bvh& bvh, const TriangleViews& triangles, const SahOptions& options);
COPSE_API void rebuild(Context& context, Bvh& bvh, const BoxView& boxes, const SahOptions& options);

/// Returns the bytes that a build takes on this context for `primitive_count` triangles of `view_count` views.
/// For boxes, `view_count` is 0.
COPSE_API BuildSizes build_sizes(Context& context, u64 primitive_count, const SahOptions& options,
                                 u64 view_count = 1);

// Deprecated names, until 0.2.
[[deprecated("use build")]] inline Bvh build_sah(Context& context, const TriangleViews& triangles,
                                                 const SahOptions& options = {}) {
  return build(context, triangles, options);
}
[[deprecated("use build")]] inline Bvh build_sah(Context& context, const BoxView& boxes,
                                                 const SahOptions& options = {}) {
  return build(context, boxes, options);
}
[[deprecated("use rebuild")]] inline void rebuild_sah(Context& context, Bvh& bvh, const TriangleViews& triangles,
                                                      const SahOptions& options = {}) {
  rebuild(context, bvh, triangles, options);
}
[[deprecated("use rebuild")]] inline void rebuild_sah(Context& context, Bvh& bvh, const BoxView& boxes,
                                                      const SahOptions& options = {}) {
  rebuild(context, bvh, boxes, options);
}
[[deprecated("use build_sizes")]] inline BuildSizes sah_sizes(Context& context, u64 primitive_count,
                                                              const SahOptions& options = {}, u64 view_count = 1) {
  return build_sizes(context, primitive_count, options, view_count);
}

}  // namespace copse
