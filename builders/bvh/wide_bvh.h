#pragma once

#include <variant>

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_node.h"

namespace copse {

/// A wide tree that owns its memory. Made of a binary one by collapse(); view() is what kernels and traversal take.
template <class WideNode>
struct WideBvh {
  using Node = WideNode;

  Buffer<Node> nodes;
  Buffer<u32> parents;  // [node]
  Buffer<u32> primitive_ids;
  Buffer<WideBvhCounts> counts;
  u64 source_count = 0;  // primitives of the last conversion, in the tree or left out

  WideBvhView<Node> view() const { return {nodes.span(), parents.span(), primitive_ids.span(), counts.span()}; }

  /// Primitives that the memory was made for.
  u64 primitive_capacity() const { return primitive_ids.size(); }
  u64 size_bytes() const {
    return nodes.size_bytes() + parents.size_bytes() + primitive_ids.size_bytes() + counts.size_bytes();
  }
};

using Bvh4 = WideBvh<Bvh4Node>;
using CompressedBvh4 = WideBvh<CompressedBvh4Node>;
using CompressedBvh8 = WideBvh<CompressedBvh8Node>;

/// A wide tree of any layout, or none.
using AnyWideBvh = std::variant<std::monostate, Bvh4, CompressedBvh4, CompressedBvh8>;

/// Nodes that a wide tree over `primitive_count` primitives may need: each but a lone root has two children or
/// more. Most trees need a fifth of them or less; see compact_copy().
constexpr u64 wide_node_capacity(u64 primitive_count) {
  return primitive_count <= 2 ? 1 : primitive_count - 1;
}

/// Bytes of a wide tree with room for so many nodes and primitives.
template <class Tree>
constexpr u64 wide_bvh_bytes(u64 node_count, u64 primitive_count) {
  return node_count * (sizeof(typename Tree::Node) + sizeof(u32)) + primitive_count * sizeof(u32) +
         sizeof(WideBvhCounts);
}

/// A copy that has room for what is in the tree and no more: a binary tree has none to spare where no leaf has
/// several primitives and none was left out, a wide one nearly always. All else is equal, the ids of what was left
/// out too, but for the deltas of a binary tree, whose copy is refitted by its links. It can be refitted, traced and
/// saved; only a conversion or rebuild of the same primitives is not sure to fit.
/// Throws: Error out_of_memory. Waits, to read the counts.
template <class Tree>
Tree compact_copy(Context& context, const Tree& tree);

}  // namespace copse
