#pragma once

#include "builders/bvh/stats.h"
#include "builders/bvh/wide_bvh.h"

namespace copse {

struct CollapseOptions {
  /// Most primitives of a leaf that the conversion makes, 1 to 32; for CompressedBvh8 at most 3. Leaves of the
  /// binary tree are never cut. Larger ones are made only where the SAH finds them cheaper than what else the
  /// primitives could be; they save nodes and cost nothing but some tests of primitives.
  u32 max_leaf_size = 3;

  /// What a wide node costs against a primitive, both 0 to 10^6: a higher traversal cost makes fewer nodes and
  /// fuller leaves.
  SahCosts costs = {};
};

/// The wide tree of a binary one, for Tree one of Bvh4, CompressedBvh4, CompressedBvh8:
///
///   copse::CompressedBvh8 wide = copse::collapse<copse::CompressedBvh8>(context, bvh);
///
/// Of all trees that keep boxes and primitives of the binary one together, that of the least SAH cost, up to the
/// rounding of costs in single precision. Equal on all backends bit for bit, and from run to run, whichever
/// builder made the binary tree. Inner children of a node stand beside each other, and so do the primitives of its
/// leaves. Boxes of compressed nodes hold the exact ones and are at most a step of their grid larger; around
/// children that lie farther apart than the largest float, planes may be infinite.
///
/// The binary tree is left as it is and may go.
///
/// Source: Ylitie, Karras, Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs",
/// HPG 2017.
/// Throws: Error invalid_argument for options out of range, and where bvh.max_leaf_size is more than the layout
/// takes: 3 for CompressedBvh8, 32 for the others; Error out_of_memory, Error cancelled.
/// Memory: see collapse_sizes. compact_copy() gives back what the tree does not need.
template <class Tree>
Tree collapse(Context& context, const Bvh& bvh, const CollapseOptions& options = {});

/// Writes the wide tree of `bvh` to the memory of `wide`. Waits for nothing and, once warm, allocates nothing, so
/// that it can be captured in a Graph, along with a rebuild of `bvh`.
/// Throws: as collapse; Error invalid_argument where `wide` has no room for as many nodes and primitives as a tree
/// over bvh.source_count primitives may need.
template <class Tree>
void collapse(Context& context, Tree& wide, const Bvh& bvh, const CollapseOptions& options = {});

/// The bytes that collapse<Tree> takes for a binary tree over `primitive_count` primitives: room for the most nodes
/// that its wide tree may have, and scratch of some 80 bytes a primitive for eight children, 50 for four, and 20
/// more on the CPU.
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
