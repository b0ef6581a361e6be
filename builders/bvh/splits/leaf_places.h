#pragma once

#include "builders/bvh/node.h"
#include "builders/bvh/wide_node.h"

namespace copse::detail {

/// Calls visit(place, argument) for the places of primitives in a leaf, or in the leaves of a wide node.
template <class Visit>
COPSE_HD inline void for_each_place_of(const BvhNode& node, const Visit& visit, u32 argument) {
  for (u32 k = 0; k < node.count; ++k) visit(node.first + k, argument);
}
template <class Node, class Visit>
COPSE_HD inline void for_each_place_of(const Node& node, const Visit& visit, u32 argument) {
  for (u32 slot = 0; slot < Node::width; ++slot) {
    const WideChild child = node.child(slot);
    for (u32 k = 0; k < child.count; ++k) visit(child.first + k, argument);
  }
}

}  // namespace copse::detail
