#pragma once

// Checks of trees that come from files or go into them, before anything follows their indices.

#include <span>
#include <string>
#include <vector>

#include "builders/bvh/node.h"
#include "builders/bvh/wide_node.h"
#include "builders/geometry/triangle_records.h"

namespace copse::detail {

/// A tree and its mesh on the host. The tree is without unused room, as a file holds it.
struct StructureArrays {
  BvhCounts counts;
  std::span<const BvhNode> nodes;  // with the root, even if counts.node_count is 0
  std::span<const u32> parents;
  std::span<const u32> primitive_ids;
  TriangleRecords mesh;
};

/// Returns the first fault, with value and limit, or an empty string. Without a fault, every walk over the tree
/// ends and reads nothing outside the arrays: counts fit together; each pair of siblings has one parent, which
/// `parents` gives; every node is reached from the root; each slot of primitive_ids is in one leaf; ids are below the
/// number of triangles, and distinct unless there are more of them than triangles, as splits make them; vertex indices are below the number of positions; triangles in the
/// tree have finite coordinates; boxes are finite or empty. Only validate() checks that boxes hold what is below them.
/// The sizes of the spans must fit the counts.
std::string find_structure_fault(const StructureArrays& arrays);

/// The parts of find_structure_fault that do not look at the nodes. find_sum_fault leaves it to the check of ids whether
/// a tree with splits has all triangles. find_coordinate_fault needs ids and vertex indices in range.
std::string find_sum_fault(const StructureArrays& arrays);
std::string find_distinct_fault(u64 distinct_count, u64 invalid_count, u64 triangle_count);
std::string find_vertex_fault(const StructureArrays& arrays);
std::string find_coordinate_fault(const StructureArrays& arrays);

/// A wide tree on the host, as a file holds it: without unused room.
template <class Node>
struct WideStructureArrays {
  u32 node_count;                // 0 for a tree without primitives
  std::span<const Node> nodes;   // with the root, even then
  std::span<const u32> parents;  // as many
  std::span<const u32> primitive_ids;
  u64 triangle_count;
  u64 invalid_count;  // triangles left out
};

/// Returns the first fault, with value and limit, or an empty string. Without a fault, every walk over the tree
/// ends and reads nothing outside the arrays: each node but the root is the child of one node, which `parents`
/// gives, and is reached from the root; each slot of primitive_ids is in one leaf; ids are below the number
/// of triangles, and distinct as in find_structure_fault; slots are consistent; planes are numbers. Only validate() checks that boxes hold what is
/// below them.
template <class Node>
std::string find_wide_fault(const WideStructureArrays<Node>& arrays);

/// A set of numbers below a limit.
class NumberSet {
 public:
  explicit NumberSet(u64 limit) : words_((limit + 63) / 64) {}

  /// Returns false if the number was in the set already.
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
