#pragma once

#include <array>

#include "builders/grid/bricks.h"
#include "builders/grid/voxel_tree_layout.h"

namespace copse {

/// An octree of voxels, or a sparse voxel DAG. Owns its memory.
///
/// An octree has its nodes of each level in Morton order, and no links. A DAG stores equal subtrees once: its
/// nodes have links to their children, and several nodes may link to the same child. `octree_node_count` and
/// `octree_leaf_count` are the counts before equal subtrees were merged.
struct VoxelTree {
  GridShape shape{dvec3(0), dvec3(1), uvec3(1)};
  u32 level_count = 1;
  Buffer<VoxelNode> nodes;
  Buffer<u32> links;
  Buffer<u64> leaves;
  std::array<u64, max_voxel_levels> level_nodes{};  // how many nodes each level has, from level 1 on
  u64 octree_node_count = 0, octree_leaf_count = 0;

  VoxelTreeView view() const { return {shape, nodes.span(), links.span(), leaves.span(), level_count}; }
  u64 size_bytes() const { return nodes.size_bytes() + links.size_bytes() + leaves.size_bytes(); }
};

/// Returns the octree over the voxels of bricks. Its nodes are in the order of the Morton keys of bricks, which
/// use 39 of 63 bits at 65,536 voxels. The bytes are equal on all backends.
///
///   bricks: a complete build; check_complete says if it is
///
/// Source: Patidar, Narayanan, "Scalable Split and Gather Primitives for the GPU", 2009, for the octree by a sort
/// of keys. Where we differ: their one pass has a counter for each key, which limits it to nine levels.
/// Throws: Error invalid_argument for bricks that were never made; Error capacity past 2^32 - 1 nodes or leaves;
/// Error out_of_memory, Error cancelled.
/// Waits: for the numbers of bricks and of nodes.
/// Memory: 44 bytes of scratch per brick and the sort's. The result has 8 bytes per node and per leaf.
COPSE_API VoxelTree build_octree(Context& context, const Bricks& bricks);

/// Returns the DAG of an octree: from the leaves up, equal leaves and nodes of equal children are merged. The
/// order of nodes depends on the voxels alone, so the bytes are equal on all backends.
///
/// Source: Kampe, Sintorn, Assarsson, "High Resolution Sparse Voxel DAGs", SIGGRAPH 2013. Where we differ:
/// subtrees are sorted by a hash of 64 bits. Those of equal hash are compared in full, so that a collision merges
/// nothing.
/// Throws: Error invalid_argument for a DAG; Error out_of_memory, Error cancelled.
/// Waits: for the number of nodes of each level.
/// Memory: scratch of 44 bytes per node of the largest level or per leaf, whichever are more, and the sort's.
COPSE_API VoxelTree build_dag(Context& context, const VoxelTree& octree);

/// Returns how many voxels are set. A shared subtree counts once for each place at which it occurs.
/// Throws: Error out_of_memory.
/// Waits: for the count.
COPSE_API u64 count_voxels(Context& context, const VoxelTree& tree);

}  // namespace copse
