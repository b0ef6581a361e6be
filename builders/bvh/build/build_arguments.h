#pragma once

// Checks that the builders of binary trees share.

#include <string>

#include "builders/bvh/bvh.h"
#include "primitives/core/check.h"

namespace copse::detail {

inline void check_morton_bits(u32 morton_bits) {
  if (morton_bits == 0 || (morton_bits >= 30 && morton_bits <= 63)) return;
  throw Error(ErrorCode::invalid_argument,
              "morton_bits is " + std::to_string(morton_bits) + "; it can be 30 to 63, or 0");
}

inline void check_max_leaf_size(u32 max_leaf_size) {
  check_option("max_leaf_size", max_leaf_size, 1, 32);
}

/// Refuses to rebuild a tree over more primitives than it has room for.
inline void check_room(const Bvh& bvh, u64 primitive_count) {
  if (bvh.nodes.size() >= node_capacity(primitive_count) && bvh.parents.size() >= pair_capacity(primitive_count) &&
      bvh.deltas.size() >= delta_words(primitive_count) && primitive_count <= bvh.primitive_capacity()) {
    return;
  }
  throw Error(ErrorCode::invalid_argument, "rebuild over " + std::to_string(primitive_count) +
                                               " primitives of a tree with room for " +
                                               std::to_string(bvh.primitive_capacity()) + " and " +
                                               std::to_string(bvh.nodes.size()) + " nodes");
}

}  // namespace copse::detail
