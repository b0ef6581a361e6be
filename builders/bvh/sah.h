#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/stats.h"
#include "builders/geometry/primitive_set.h"

namespace copse {

struct SahOptions {
  /// Bins along each axis, 2 to 32, by which nodes of more than 32 primitives are split; smaller nodes try every
  /// place. The time of a build hardly depends on it.
  u32 bin_count = 32;

  /// Most primitives of a leaf, 1 to 32. A node of so many becomes a leaf where that costs no more than its best
  /// split by `costs`: fewer nodes, more intersection tests a leaf. Above 1 the build takes 72 bytes of scratch
  /// a primitive more.
  u32 max_leaf_size = 1;

  /// Passes of rotations over the finished tree, 0 to 8: each node may swap a child with a grandchild, or two
  /// grandchildren, where that lowers the area of its children. The first lowers the SAH cost by 0.1 % to 5 %,
  /// interiors most; every further one by less, for the time of a refit or two.
  u32 rotation_passes = 1;

  /// What leaves are weighed by; finite, not negative, the intersection above 0. No effect where leaves have one
  /// primitive.
  SahCosts costs = {};
};

/// A bounding volume hierarchy over triangles or boxes, split from the root down where the surface area heuristic
/// expects the least cost: the best tree to trace of all builders here, at about ten times the time of H-PLOC.
/// Equal on all backends bit for bit, and from run to run. Any input builds a valid tree: primitives with a
/// coordinate that is infinite or NaN, and inverted boxes, are left out and counted (BvhCounts::invalid_count).
///
/// A node of more than 32 primitives is split between bins of centroids along one of the three axes, a smaller one
/// between any two of its centroids; ties go to the lower axis and the lower place. Where all centroids fall into
/// one bin, and 96 levels below the root, a node is split in the middle of its primitives as they stand: so depth
/// is at most 160, before rotations, and work at most 160 passes over the primitives, whatever the input.
///
/// Triangle indices must be below the number of positions; the builder does not check them.
///
/// Source: MacDonald, Booth, "Heuristics for Ray Tracing Using Space Subdivision", The Visual Computer, 1990, for
/// the cost; Wald, "On Fast Construction of SAH-Based Bounding Volume Hierarchies", RT 2007, for the bins. Throws:
/// Error invalid_argument for options out of range, Error capacity past 2^31 primitives, Error out_of_memory,
/// Error cancelled. Memory: see sah_sizes.
Bvh build_sah(Context& context, const TriangleViews& triangles, const SahOptions& options = {});
Bvh build_sah(Context& context, const BoxView& boxes, const SahOptions& options = {});

/// Builds a fresh tree in the memory of `bvh`, whichever builder made it. Waits for nothing and, once warm,
/// allocates nothing, so that it can be captured in a Graph. After an error the tree must be rebuilt before it is
/// used.
/// Throws: as build_sah; Error invalid_argument for more primitives than bvh.primitive_capacity().
void rebuild_sah(Context& context, Bvh& bvh, const TriangleViews& triangles, const SahOptions& options = {});
void rebuild_sah(Context& context, Bvh& bvh, const BoxView& boxes, const SahOptions& options = {});

/// The bytes that build_sah takes for `primitive_count` triangles of `view_count` views on this context, or for as
/// many boxes, which are of 0 views.
BuildSizes sah_sizes(Context& context, u64 primitive_count, const SahOptions& options = {}, u64 view_count = 1);

}  // namespace copse
