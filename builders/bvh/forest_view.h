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

/// Classes of trees by size. On CUDA, a block builds a tree of at most the first number as a whole, and smaller blocks build
/// the smaller ones. So a forest of various sizes is built fastest if its trees stand in the order of their classes: at
/// first those above the first number, then those above the second, and so on.
inline constexpr u32 forest_class_sizes[] = {1024, 512, 256, 64};
inline constexpr u32 forest_class_count = 5;

/// Returns the class of a tree: 0 for the largest ones.
constexpr u32 forest_class_of(u64 tree_size) {
  u32 k = 0;
  while (k + 1 < forest_class_count && tree_size <= forest_class_sizes[k]) ++k;
  return k;
}

/// Which primitives belong to which tree, in the memory of the executor.
struct ForestShape {
  const u32* begins = nullptr;   // [tree_count + 1]
  const u32* tree_of = nullptr;  // [primitive]
  u32 tree_count = 0;
  u32 primitive_count = 0;
  u32 max_tree_size = 0;  // primitives
  u32 empty_root = 0;     // the place of the root that all trees without primitives share

  /// From tree class_ends[k] on, no tree has more than forest_class_sizes[k] primitives.
  u32 class_ends[forest_class_count - 1] = {};
  u32 large_primitive_count = 0;  // of the trees before class_ends[0]

  COPSE_HD u32 size(u32 tree) const { return begins[tree + 1] - begins[tree]; }

  /// Returns the trees before class_ends[0] alone.
  ForestShape large() const {
    ForestShape shape = *this;
    shape.tree_count = class_ends[0];
    shape.primitive_count = large_primitive_count;
    for (u32& end : shape.class_ends) end = shape.tree_count;
    return shape;
  }

  /// Calls f(first tree, last tree + 1, maximum size of a tree) for each class of trees that is not empty.
  template <class F>
  void for_each_class(const F& f) const {
    u32 first = 0;
    for (u32 k = 0; k < forest_class_count; ++k) {
      const u32 end = k + 1 < forest_class_count ? class_ends[k] : tree_count;
      if (first < end) f(first, end, k == 0 ? max_tree_size : smaller(max_tree_size, forest_class_sizes[k - 1]));
      first = end;
    }
  }
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
