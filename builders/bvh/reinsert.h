#pragma once

#include "builders/bvh/bvh.h"

namespace copse {

struct ReinsertOptions {
  /// Passes over the tree, 1 to 16. A pass may move every subtree once, to its best place. The next pass finds
  /// moves that the ones before made possible; each gains less.
  u32 passes = 2;

  /// A pass tries to move the nodes whose parents have at least this factor times the mean area of all inner
  /// nodes: 0 to 1000. 0, the default: all nodes. Areas differ so much that few nodes hold most of the cost. With
  /// 0.5, two passes keep 90 % of their gain in meshes, 78 % in hair and 64 % in random triangles. In trees of
  /// over a million triangles, passes take 20 to 50 % of the time.
  float min_parent_area = 0;
};

/// Lowers the SAH cost of a binary tree: it removes subtrees and inserts them where inner nodes gain the least
/// area. It works on trees of any builder and any depth; leaves and their primitives stay together. The gain
/// depends on the tree; it is largest where boxes of uneven size overlap, as in interiors. Figures:
/// bench/notes/builders.md.
///
/// In a pass, every node but the root searches for its best place by branch and bound, among the siblings of its
/// ancestors and the nodes below them. Where moves conflict, those that gain most are made; the others may be made
/// in the next pass. Several moves together may gain less than their sum. A pass after which inner nodes have more
/// area is undone, so the SAH cost never rises, except by rounding. The tree is equal on all backends bit for bit,
/// and from run to run. A refit then fits the tree along its links.
///
/// Boxes must hold everything below them, as after a build or a refit. The boxes of leaves stay; those of inner
/// nodes are made again, exactly around their children. A search ends after 64 steps with the best place so far,
/// so the work is bounded at any depth. Leaves that a refit has emptied do not move, nor do boxes whose extents
/// exceed the largest float.
///
/// It does not wait and, once warm, does not allocate, so it can be captured in a Graph, together with a rebuild.
/// After an error, rebuild the tree before you use it.
///
/// Source: Meister, Bittner, "Parallel Reinsertion for Bounding Volume Hierarchy Optimization", Computer Graphics
/// Forum 37(2), 2018; after Bittner, Hapala, Havran, "Fast Insertion-Based Optimization of Bounding Volume
/// Hierarchies", Computer Graphics Forum 32(1), 2013.
/// Throws: Error invalid_argument if options are out of range, Error out_of_memory, Error cancelled.
/// Memory: see reinsert_sizes.
COPSE_API void reinsert(Context& context, Bvh& bvh, const ReinsertOptions& options = {});

/// Returns the bytes that reinsert takes for a tree with room for `primitive_count` primitives, with any options:
/// no result, and scratch of 40 bytes per primitive on the CPU and 45 on CUDA.
/// Throws: Error capacity past 2^31 primitives.
COPSE_API BuildSizes reinsert_sizes(Context& context, u64 primitive_count);

}  // namespace copse
