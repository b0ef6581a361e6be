#pragma once

#include "builders/bvh/hploc/hploc_ranges.h"

namespace copse::detail {

/// Where the node over a range of leaves stands in an LBVH. Its parent splits at the end that has the closer
/// neighbour: behind leaf s stand the children of split s, at 2s + 1 and 2s + 2. No two deltas at the ends of a node
/// are equally close, but those at the ends of the root, where there is none.
///   delta_left, delta_right: see LeafHierarchy
struct SubtreePlace {
  u32 node;

  COPSE_HD SubtreePlace(const LeafRange& range, u32 delta_left, u32 delta_right)
      : node(delta_left > delta_right   ? 2 * range.first
             : delta_left < delta_right ? 2 * range.last + 1
                                        : 0) {}

  /// Not for the root.
  COPSE_HD bool is_right_child() const { return (node & 1) == 0; }
};

}  // namespace copse::detail
