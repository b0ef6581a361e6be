#pragma once

// Whether what a wide node tells of a slot in several places fits together: for nodes of unknown origin.

#include "builders/bvh/wide_node.h"

namespace copse::detail {

template <class Node>
COPSE_HD bool is_consistent(const Node& node, u32 slot) {
  return node.count[slot] == 0 || node.first[slot] != invalid_id;
}
COPSE_HD inline bool is_consistent(const CompressedBvh4Node& node, u32 slot) {
  const u32 count = node.count[slot];
  return count == 0 || (count <= CompressedBvh4Node::max_in_leaf && node.first[slot] != invalid_id);
}
COPSE_HD inline bool is_consistent(const CompressedBvh8Node& node, u32 slot) {
  const u32 meta = node.meta[slot];
  if ((node.inner_mask >> slot & 1) != 0) return meta == (1u << 5 | 24u | slot);
  const u32 ones = meta >> 5;
  return meta == 0 || ones == 1 || ones == 3 || ones == 7;
}

}  // namespace copse::detail
