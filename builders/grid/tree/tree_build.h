#pragma once

// Structs that voxel_tree.cpp and its bodies, octree.inl and dag.inl, share.

#include "builders/grid/voxel_tree_layout.h"

namespace copse::detail {

/// The bricks in Morton order. Each array has an element per brick.
struct TreeOrder {
  u64* keys;  // Morton key of the place
  u32* bricks;
  u64* leaves_before;  // how many leaves the bricks before have
};

/// How many nodes each level has: of level k in nodes[k - 1].
struct TreeCounts {
  u64 nodes[max_voxel_levels];
  u64 leaves;
};

/// Where an octree is written.
struct TreeMemory {
  VoxelNode* nodes;
  u64* leaves;
};

/// Subtrees of one level: leaves, or nodes whose children have their new numbers.
struct Subtrees {
  VoxelTreeView octree;
  u64 first, count;       // nodes of the octree; for leaves, first is 0
  const u32* new_number;  // of the children, by their number in the octree; null for leaves

  COPSE_HD bool are_leaves() const { return new_number == nullptr; }
};

/// Numbers of one level's subtrees.
struct SubtreeOrder {
  u64* hashes;     // sorted
  u32* ids;        // in the order of hashes, then of numbers
  u32* run_begin;  // where the run of equal hashes begins
  u32* equals;     // the first subtree of the run that is equal
  u32* rank;       // how many different subtrees come before
};

/// The counts of the different subtrees of a level.
struct DagCounts {
  u64 count, links;
};

}  // namespace copse::detail
