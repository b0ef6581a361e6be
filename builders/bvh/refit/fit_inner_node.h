#pragma once

#include "builders/bvh/node.h"
#include "primitives/tree_walk.h"

namespace copse::detail {

/// Visit of a walk up: gives an inner node the box around its children. Only the box: another thread may be
/// reading the count.
struct FitInnerNode {
  BvhNode* nodes;
  COPSE_HD void operator()(u32 node, u32 pair) const {
    const u32 first_child = SiblingPairs::first_of(pair);
    const Aabb box = merge(nodes[first_child].box(), nodes[first_child + 1].box());
    nodes[node].lo = box.lo;
    nodes[node].hi = box.hi;
  }
};

}  // namespace copse::detail
