#pragma once

#include "builders/bvh/node.h"
#include "primitives/core/atomic.h"

namespace copse::detail {

/// Walks from a finished node towards the root. The first child to arrive at a parent stops there; the second
/// calls visit(parent, first_child), sees all that both children's walks have written, and goes on. So every
/// inner node is visited once, after all nodes below it.
///   parents:  as in BvhView
///   arrivals: one for each pair of siblings, all 0 before the first walk
/// Source: Meister, Yoshimura, Kao, "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia 2023
/// course, section "Bottom-up traversal", after Karras, HPG 2012.
template <class Visit>
COPSE_HD void walk_up(u32 node, const u32* parents, u32* arrivals, const Visit& visit) {
  while (node != 0) {
    const u32 pair = sibling_pair(node);
    if (fetch_add_acq_rel(&arrivals[pair], 1) == 0) return;
    node = parents[pair];
    visit(node, 2 * pair + 1);
  }
}

}  // namespace copse::detail
