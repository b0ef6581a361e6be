#pragma once

#include <variant>

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_node.h"

namespace copse {

/// A wide tree that owns its memory. collapse() makes it of a binary tree; kernels and traversal take view().
template <class WideNode>
struct WideBvh {
  using Node = WideNode;

  Buffer<Node> nodes;
  Buffer<u32> parents;  // [node]
  Buffer<u32> primitive_ids;
  Buffer<WideBvhCounts> counts;
  Buffer<RepeatedPlace> repeats;
  u64 source_count = 0;     // primitives of the last conversion, in the tree or left out
  u64 reference_count = 0;  // as of Bvh

  WideBvhView<Node> view() const {
    return {nodes.span(), parents.span(), primitive_ids.span(), counts.span(),
            has_repeats() ? repeats.data() : nullptr};
  }

  /// Returns whether a primitive may stand in several leaves.
  bool has_repeats() const { return reference_count > 0; }

  /// Returns how many places of primitive_ids the last conversion wrote.
  u64 place_count() const { return has_repeats() ? reference_count : source_count; }

  /// The number of primitives that the memory was made for.
  u64 primitive_capacity() const { return primitive_ids.size(); }
  u64 size_bytes() const {
    return nodes.size_bytes() + parents.size_bytes() + primitive_ids.size_bytes() + counts.size_bytes() +
           repeats.size_bytes();
  }
};

using Bvh4 = WideBvh<Bvh4Node>;
using CompressedBvh4 = WideBvh<CompressedBvh4Node>;
using CompressedBvh8 = WideBvh<CompressedBvh8Node>;

/// A wide tree of any layout, or none.
using AnyWideBvh = std::variant<std::monostate, Bvh4, CompressedBvh4, CompressedBvh8>;

/// Maximum nodes of a wide tree over `primitive_count` primitives: every node but a lone root has two children or
/// more. Most trees need a fifth of them or less; see compact_copy().
constexpr u64 wide_node_capacity(u64 primitive_count) {
  return primitive_count <= 2 ? 1 : primitive_count - 1;
}

/// The bytes of a wide tree with room for so many nodes and primitives.
template <class Tree>
constexpr u64 wide_bvh_bytes(u64 node_count, u64 primitive_count) {
  return node_count * (sizeof(typename Tree::Node) + sizeof(u32)) + primitive_count * sizeof(u32) +
         sizeof(WideBvhCounts);
}

/// Returns a copy whose buffers are exactly as large as needed. A wide tree nearly always shrinks, most to a fifth
/// of their nodes; a binary tree shrinks only if leaves hold several primitives or some primitives were left out.
/// The content is the same, the ids of the primitives left out too, but a binary copy has no deltas and is
/// refitted by its links. The copy can be refitted, traced and saved; a collapse or rebuild of the same primitives
/// may not fit into it.
/// Throws: Error out_of_memory.
/// Waits: to read the counts.
template <class Tree>
Tree compact_copy(Context& context, const Tree& tree);

}  // namespace copse
