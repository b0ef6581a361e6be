#pragma once

#include "builders/bvh/node.h"
#include "builders/geometry/primitive_set.h"
#include "primitives/core/buffer.h"

namespace copse {

/// A binary tree that owns its memory. Made by the builders; view() is what kernels and traversal take.
struct Bvh {
  Buffer<BvhNode> nodes;
  Buffer<u32> parents;
  Buffer<u32> primitive_ids;
  Buffer<BvhCounts> counts;
  u64 source_count = 0;    // primitives of the last build, in the tree or left out
  u32 max_leaf_size = 32;  // no leaf has more primitives

  Buffer<u32> deltas;                // see delta_words
  bool may_refit_by_deltas = false;  // to be set to false by whoever writes the nodes of a tree that was built

  BvhView view() const { return {nodes.span(), parents.span(), primitive_ids.span(), counts.span()}; }

  /// Primitives that the memory was made for.
  u64 primitive_capacity() const { return primitive_ids.size(); }
  u64 size_bytes() const {
    return nodes.size_bytes() + parents.size_bytes() + primitive_ids.size_bytes() + counts.size_bytes() +
           deltas.size_bytes();
  }
};

/// Nodes and pairs of siblings that a tree over `primitive_count` primitives may need.
constexpr u64 node_capacity(u64 primitive_count) {
  return primitive_count == 0 ? 1 : 2 * primitive_count - 1;
}
constexpr u64 pair_capacity(u64 primitive_count) {
  return primitive_count == 0 ? 0 : primitive_count - 1;
}

/// A byte for each primitive, behind two words: how close neighbours are along the Morton curve, from which all of
/// the topology of an LBVH follows. The first word is 1 where the tree is that LBVH, with one primitive a leaf,
/// else 0; the second then tells how many of 256 samples are far from the next primitive by number
/// (precomputed_bounds.h).
constexpr u64 delta_words(u64 primitive_count) {
  return 2 + (primitive_count + sizeof(u32) - 1) / sizeof(u32);
}

constexpr u64 bvh_bytes(u64 primitive_count) {
  return node_capacity(primitive_count) * sizeof(BvhNode) + pair_capacity(primitive_count) * sizeof(u32) +
         primitive_count * sizeof(u32) + sizeof(BvhCounts) + delta_words(primitive_count) * sizeof(u32);
}

/// A tree with room for `primitive_count` primitives, nothing built yet.
/// Throws: Error capacity past 2^31 primitives, Error out_of_memory.
Bvh make_bvh(Context& context, u64 primitive_count);

/// Bytes that a build takes, known before it runs.
struct BuildSizes {
  u64 result_bytes = 0;   // of the tree
  u64 scratch_bytes = 0;  // of the context's scratch, free again after the build
};

}  // namespace copse
