#pragma once

#include "builders/bvh/stats.h"
#include "builders/bvh/wide_bvh.h"

namespace copse {

struct CollapseOptions {
  /// Maximum primitives per leaf that the collapse makes: 1 to 32, for CompressedBvh8 1 to 3. Leaves of the
  /// binary tree are never cut. Leaves of several primitives are made only where the SAH finds them cheaper than
  /// any other arrangement; they save nodes and cost a few more tests of primitives.
  u32 max_leaf_size = 3;

  /// The cost of a wide node and that of a primitive, both 0 to 10^6. A higher traversal cost makes fewer nodes
  /// and fuller leaves.
  SahCosts costs = {};
};

/// Returns the wide tree of a binary one, for Tree one of Bvh4, CompressedBvh4, CompressedBvh8:
///
///   copse::CompressedBvh8 wide = copse::collapse<copse::CompressedBvh8>(context, bvh);
///
/// It has the lowest SAH cost of all wide trees whose children are subtrees of the binary one, up to the rounding
/// of costs in single precision. It is equal on all backends bit for bit, and from run to run, for trees of every
/// builder. The inner children of a node are neighbours, and so are the primitives of its leaves. Boxes of
/// compressed nodes hold the exact ones and are at most a step of their grid larger. Where children lie farther
/// apart than the largest float, planes may be infinite.
///
/// The binary tree does not change, and the wide one does not need it.
///
/// Source: Ylitie, Karras, Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs",
/// HPG 2017.
/// Throws: Error invalid_argument if options are out of range, or if bvh.max_leaf_size is more than the layout can
/// hold: 3 for CompressedBvh8, 32 for the others; Error out_of_memory, Error cancelled.
/// Memory: see collapse_sizes. compact_copy() gives back what the tree does not need.
template <class Tree>
Tree collapse(Context& context, const Bvh& bvh, const CollapseOptions& options = {});

/// Writes the wide tree of `bvh` to the memory of `wide`. It does not wait and, once warm, does not allocate, so
/// it can be captured in a Graph, together with a rebuild of `bvh`.
/// Throws: as collapse above; Error invalid_argument if `wide` lacks room for the nodes and primitives that a tree
/// over bvh.source_count primitives may need.
template <class Tree>
void collapse(Context& context, Tree& wide, const Bvh& bvh, const CollapseOptions& options = {});

/// Returns the bytes that collapse<Tree> takes for a binary tree over `primitive_count` primitives: room for the
/// most nodes that the wide tree may have, and scratch of about 80 bytes per primitive for eight children, 50 for
/// four, and 20 more on the CPU.
/// Throws: as collapse.
template <class Tree>
BuildSizes collapse_sizes(Context& context, u64 primitive_count, const CollapseOptions& options = {});

// Deprecated names, until 0.2.
using WidenOptions [[deprecated("use CollapseOptions")]] = CollapseOptions;

template <class Tree>
[[deprecated("use collapse")]] Tree widen(Context& context, const Bvh& bvh, const CollapseOptions& options = {}) {
  return collapse<Tree>(context, bvh, options);
}
template <class Tree>
[[deprecated("use collapse")]] void rewiden(Context& context, Tree& wide, const Bvh& bvh,
                                            const CollapseOptions& options = {}) {
  collapse(context, wide, bvh, options);
}
template <class Tree>
[[deprecated("use collapse_sizes")]] BuildSizes widen_sizes(Context& context, u64 primitive_count,
                                                            const CollapseOptions& options = {}) {
  return collapse_sizes<Tree>(context, primitive_count, options);
}

}  // namespace copse
