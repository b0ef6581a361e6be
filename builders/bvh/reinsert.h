#pragma once

#include "builders/bvh/bvh.h"

namespace copse {

struct ReinsertOptions {
  /// Passes over the tree, 1 to 16. Each may move every subtree to its best place once; the next one finds what
  /// the moves before made possible, less and less.
  u32 passes = 2;
};

/// Lowers the SAH cost of a tree: subtrees are taken out and put where inner nodes have the least area. Any binary
/// tree of any depth, whichever builder made it; leaves and their primitives stay together. What is gained depends
/// on the tree: most where boxes of uneven size overlap, as in interiors. Figures: bench/notes/builders.md.
///
/// In a pass every node but the root looks for its best place by branch and bound, among the siblings of its
/// ancestors and what is below them. Of moves that meet, those that gain most go ahead; others may in the next
/// pass. Several together may gain less than their sum, and where inner nodes would have more area after a pass,
/// it is undone: so the SAH cost never rises, but for rounding. Equal on all backends bit for bit, and from run to
/// run. A refit fits the tree along its links.
///
/// Boxes must hold what is below them, as after a build or a refit. Those of leaves stay, those of inner nodes are
/// made anew, exactly around their children. A search ends after 256 steps with the best that it has found, so
/// that work is bounded, whatever the depth. Leaves that are empty since a refit do not move, nor do boxes whose
/// extents no float holds.
///
/// Waits for nothing and, once warm, allocates nothing, so that it can be captured in a Graph, along with a
/// rebuild. After an error the tree must be rebuilt before it is used.
///
/// Source: Meister, Bittner, "Parallel Reinsertion for Bounding Volume Hierarchy Optimization", Computer Graphics
/// Forum 37(2), 2018; after Bittner, Hapala, Havran, "Fast Insertion-Based Optimization of Bounding Volume
/// Hierarchies", Computer Graphics Forum 32(1), 2013.
/// Throws: Error invalid_argument for options out of range, Error out_of_memory, Error cancelled.
/// Memory: see reinsert_sizes.
void reinsert(Context& context, Bvh& bvh, const ReinsertOptions& options = {});

/// The bytes that reinsert takes for a tree with room for `primitive_count` primitives, whatever the options: none
/// of result, and scratch of 36 bytes a primitive on the CPU and 41 on CUDA. Throws: Error capacity past 2^31
/// primitives.
BuildSizes reinsert_sizes(Context& context, u64 primitive_count);

}  // namespace copse
