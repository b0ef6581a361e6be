#pragma once

// Builds and refits forests: see builders/bvh/forest_view.h.

#include <span>
#include <vector>

#include "builders/bvh/forest_view.h"
#include "builders/bvh/reinsert.h"
#include "builders/bvh/wide_bvh.h"

namespace copse::detail {

/// The arrays of ForestTrees, as a build or refit writes them.
struct ForestArrays {
  CompressedBvh4Node* nodes;
  u32* parents;
  u32* primitive_ids;
  WideBvhCounts* counts;
};

/// Owns the trees.
struct Forest {
  std::vector<u32> begins_on_host;
  Buffer<u32> begins, tree_of;
  Buffer<CompressedBvh4Node> nodes;
  Buffer<u32> parents, primitive_ids;
  Buffer<WideBvhCounts> counts;
  ForestShape host_shape;  // without its arrays

  u64 tree_count() const { return begins_on_host.empty() ? 0 : begins_on_host.size() - 1; }
  u64 primitive_count() const { return tree_of.size(); }
  u32 size(u64 tree) const { return begins_on_host[tree + 1] - begins_on_host[tree]; }
  u64 size_bytes() const {
    return begins.size_bytes() + tree_of.size_bytes() + nodes.size_bytes() + parents.size_bytes() +
           primitive_ids.size_bytes() + counts.size_bytes();
  }

  ForestShape shape() const {
    ForestShape shape = host_shape;
    shape.begins = begins.data();
    shape.tree_of = tree_of.data();
    return shape;
  }
  ForestArrays arrays() { return {nodes.data(), parents.data(), primitive_ids.data(), counts.data()}; }
  ForestTrees trees() const { return {nodes.data(), parents.data(), primitive_ids.data(), counts.data()}; }

  /// Returns a tree as other calls take it.
  CompressedBvh4View view(u64 tree) const {
    return trees().view(tree, begins_on_host[tree], size(tree), u32(primitive_count()));
  }
};

/// Returns the shape of a forest, without its arrays.
///   begins: as for make_forest
COPSE_API ForestShape forest_shape(std::span<const u32> begins);

/// Returns a forest with room for trees of these sizes, and none in it.
///   begins: on the host; one more than there are trees, ascending from 0; each tree has at most max_forest_tree
/// Throws: Error capacity past 2^31 primitives, Error out_of_memory.
COPSE_API Forest make_forest(Context& context, std::span<const u32> begins);

/// Returns the bytes of a forest.
constexpr u64 forest_bytes(u64 tree_count, u64 primitive_count) {
  return (primitive_count + 1) * (sizeof(CompressedBvh4Node) + sizeof(u32)) + 2 * primitive_count * sizeof(u32) +
         (tree_count + 1) * sizeof(u32) + tree_count * sizeof(WideBvhCounts);
}

/// How the trees of a forest are built: as by HplocOptions{}, or as by LbvhOptions{.morton_bits = 0}.
enum class ForestBuilder : u32 { hploc, lbvh };

struct ForestOptions {
  ForestBuilder builder = ForestBuilder::hploc;
  ReinsertOptions reinsertion = {.passes = 0};  // in each tree, as by reinsert(); none if passes is 0
};

// The body: forest/forest.inl, for either executor.

/// Builds all trees over boxes.
///   boxes:         one for each primitive, without -0.0; an empty one is left out
///   max_leaf_size: primitives per leaf that the collapse makes, see CollapseOptions
template <class Executor>
void build_trees(const Executor& ex, const ForestShape& shape, const ForestOptions& options, const Aabb* boxes,
                 u32 max_leaf_size, const ForestArrays& out);
template <class Executor>
u64 build_trees_scratch_bytes(const Executor& ex, const ForestShape& shape, const ForestOptions& options);

/// Fits all trees, or those of which moved[tree] is not 0, to boxes that have changed.
///   moved: null for all
template <class Executor>
void refit_trees(const Executor& ex, const ForestShape& shape, const ForestArrays& trees, const Aabb* boxes,
                 const u32* moved);
template <class Executor>
u64 refit_trees_scratch_bytes(const Executor& ex, u64 primitive_count);

}  // namespace copse::detail
