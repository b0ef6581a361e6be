#pragma once

#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse {

/// The maximum number of triangles of all parts of a tree whose parts are on several ranks. Their ids have 32 bits, and
/// invalid_id is none of them.
inline constexpr u64 max_sharded_triangles = invalid_id;

/// Two sibling nodes of an H-PLOC tree whose parts are on several ranks. They are on no rank, because they come from a
/// merge that depends on several parts.
struct BorderPair {
  /// The slot that the merge gave up, in the whole tree. The nodes stand at 2 * slot - 1 and 2 * slot.
  u64 slot;

  /// What the two nodes are: see link_to_leaf and link_to_pair.
  u64 links[2];
};

/// Returns the link of a node that is the leaf in a slot: an even number.
COPSE_HD constexpr u64 link_to_leaf(u64 slot) {
  return 2 * slot;
}
/// Returns the link of a node whose children have given up a slot: the place of the first one, which is odd.
///   slot: at least 1
COPSE_HD constexpr u64 link_to_pair(u64 slot) {
  return 2 * slot - 1;
}
/// Returns true if the link is that of a leaf.
COPSE_HD constexpr bool links_to_leaf(u64 link) {
  return link % 2 == 0;
}
/// Returns the slot of the leaf, or the one that the children have given up.
COPSE_HD constexpr u64 linked_slot(u64 link) {
  return (link + 1) / 2;
}

}  // namespace copse
