#pragma once

#include <span>
#include <string>

#include "builders/bvh/node.h"

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

}  // namespace copse::detail
