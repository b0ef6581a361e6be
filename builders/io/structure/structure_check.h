#pragma once

// Checks of trees that come from files or go into them, before anything follows their indices.

#include <span>
#include <string>
#include <vector>

#include "builders/bvh/node.h"
#include "builders/bvh/wide_node.h"

namespace copse::detail {

/// A tree and the indices of its mesh, on the host, as a file holds them: without unused room.
struct StructureArrays {
  BvhCounts counts;
  std::span<const BvhNode> nodes;  // the root also where counts.node_count is 0
  std::span<const u32> parents;
  std::span<const u32> primitive_ids;
  std::span<const uvec3> triangles;
  u64 vertex_count;
};

/// The first thing that is wrong, with value and limit; empty where nothing is. Then every walk over the tree
/// ends and reads nothing outside the arrays: counts fit together; each pair of siblings has one parent,
/// which parents names; every node is reached from the root; each slot of primitive_ids is in one leaf; ids
/// are distinct and below the number of triangles; vertex indices are below vertex_count; boxes are finite
/// or empty. That boxes hold what is below them is left to validate().
/// The sizes of the spans must fit the counts.
std::string find_structure_fault(const StructureArrays& arrays);

/// A wide tree on the host, as a file holds it: without unused room.
template <class Node>
struct WideStructureArrays {
  u32 node_count;                // 0 for a tree without primitives
  std::span<const Node> nodes;   // the root also then
  std::span<const u32> parents;  // as many
  std::span<const u32> primitive_ids;
  u64 triangle_count;
};

/// The first thing that is wrong, with value and limit; empty where nothing is. Then every walk over the tree ends
/// and reads nothing outside the arrays: each node but the root is a child once, of the node that parents names,
/// and is reached from the root; each slot of primitive_ids is in one leaf; ids are distinct and below the number
/// of triangles; slots do not contradict themselves; planes are numbers. That boxes hold what is below them is
/// left to validate().
template <class Node>
std::string find_wide_fault(const WideStructureArrays<Node>& arrays);

/// A set of numbers below a limit.
class NumberSet {
 public:
  explicit NumberSet(u64 limit) : words_((limit + 63) / 64) {}

  /// False where it was in the set already.
  bool insert(u64 number) {
    u64& word = words_[number / 64];
    const u64 bit = u64{1} << (number % 64);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }

 private:
  std::vector<u64> words_;
};

}  // namespace copse::detail
