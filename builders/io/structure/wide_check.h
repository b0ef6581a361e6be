#pragma once

#include <span>
#include <string>

#include "builders/bvh/wide_node.h"

namespace copse::detail {

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

}  // namespace copse::detail
