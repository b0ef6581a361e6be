#pragma once

// Many trees in one chain of launches: a forest. Tree t is over the primitives begins[t] to begins[t + 1] - 1, and
// equals, byte for byte, the tree that the same builder makes over these primitives alone. Batches of meshes and
// worlds of instances are made of forests.
//
// All trees stand side by side in the same arrays. The primitives of tree t begin at place begins[t], and so do
// its wide nodes: a tree of n primitives has at most n of them. Links and ids inside of a tree count from its own
// begin.

#include "builders/bvh/wide_node.h"

namespace copse::detail {

/// Maximum primitives of a tree in a forest. A larger one fills a GPU on its own, and its Morton keys have more
/// bits.
inline constexpr u64 max_forest_tree = u64{1} << 18;

/// Which primitives belong to which tree, in the memory of the executor.
struct ForestShape {
  const u32* begins;   // [tree_count + 1]
  const u32* tree_of;  // [primitive]
  u32 tree_count;
  u32 primitive_count;
  u32 max_tree_size;  // primitives

  COPSE_HD u32 size(u32 tree) const { return begins[tree + 1] - begins[tree]; }
};

/// The wide trees of a forest, side by side.
struct ForestTrees {
  /// [primitive_count + 1]: the last one is the root of all trees without primitives.
  const CompressedBvh4Node* nodes;
  const u32* parents;           // as many
  const u32* primitive_ids;     // [place]: counted from the begin of the tree
  const WideBvhCounts* counts;  // [tree]

  /// Returns tree number `tree`, of `n` primitives from `begin` on, as other calls take it.
  ///   primitive_count: of the forest
  COPSE_HD CompressedBvh4View view(u64 tree, u32 begin, u32 n, u32 primitive_count) const {
    const u32 root = n == 0 ? primitive_count : begin;
    const u64 node_count = n <= 2 ? 1 : n - 1;  // wide_node_capacity(n)
    return {
        {nodes + root, node_count}, {parents + root, node_count}, {primitive_ids + begin, n}, {counts + tree, 1}};
  }
};

}  // namespace copse::detail
