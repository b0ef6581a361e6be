#pragma once

#include <vector>

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_bvh.h"

namespace copse {

struct SahCosts {
  double traversal = 1.2;
  double intersection = 1.0;
};

struct BvhStats {
  BvhCounts counts{};
  u32 depth = 0;               // edges from the root to the deepest leaf
  double sah_cost = 0;         // see stats()
  double sibling_overlap = 0;  // area that siblings share, summed over inner nodes, divided by the root's area
  std::vector<u64> leaf_size_histogram;  // [k]: leaves of k primitives
  Aabb bounds = Aabb::empty();
  u64 size_bytes = 0;
};

/// Returns measures of a binary tree. The SAH cost is the sum over inner nodes of c_t A / A_root plus the sum over
/// leaves of count c_i A / A_root, the root included; 0 if the root has no area. Equal on all backends up to the
/// order of its sums.
/// Throws: Error out_of_memory.
/// Waits: for the result.
COPSE_API BvhStats stats(Context& context, const Bvh& bvh, const SahCosts& costs = {});

struct WideBvhStats {
  WideBvhCounts counts{};
  u64 leaf_count = 0;                    // slots that are leaves
  u32 depth = 0;                         // nodes on the longest path from the root to a leaf
  double mean_children = 0;              // per node
  double sah_cost = 0;                   // see stats()
  std::vector<u64> leaf_size_histogram;  // [k]: leaves of k primitives
  Aabb bounds = Aabb::empty();
  u64 used_bytes = 0;  // of nodes, parents and ids in the tree
  u64 size_bytes = 0;  // of all memory of the tree
};

/// Returns measures of a wide tree, Bvh4, CompressedBvh4 or CompressedBvh8. The boxes are those in the tree:
/// rounded outwards where they are compressed, and cut at the largest float. The SAH cost counts c_t A / A_root
/// for each node of area A, and leaves as in a binary tree. Equal on all backends up to the order of its sums.
/// Throws: Error out_of_memory.
/// Waits: for the result.
template <class Node>
WideBvhStats stats(Context& context, const WideBvh<Node>& tree, const SahCosts& costs = {});

}  // namespace copse
