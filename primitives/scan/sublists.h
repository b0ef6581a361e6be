#pragma once

// Cuts a list into sublists, for list ranking.

#include "primitives/core/bits.h"

namespace copse::detail {

/// Nodes per sublist, on average. With longer sublists there are fewer to rank, but each takes longer to walk.
inline constexpr u32 sublist_nodes = 64;

/// Lists of up to this many nodes are walked from end to end by one thread.
inline constexpr u32 short_list_nodes = 128;

/// Returns the number of sublists: one for each block of `sublist_nodes` node ids, and one for the head.
COPSE_HD inline constexpr u64 sublist_count(u64 n) {
  return divide_rounding_up(n, sublist_nodes) + 1;
}

/// The nodes at which sublists start: the head, and one node in each block of ids, at a place that follows no
/// regular pattern.
struct Splitters {
  u32 n, head;

  /// Returns the node in a block that starts a sublist; it may be past the last node.
  COPSE_HD u32 node_in(u32 block) const { return block * sublist_nodes + (block * 2654435761u >> 26); }

  /// Returns the sublist that starts at a node, or invalid_id for other nodes.
  COPSE_HD u32 sublist_of(u32 node) const {
    const u32 block = node / sublist_nodes;
    if (node == node_in(block)) return block;
    return node == head ? u32(sublist_count(n) - 1) : invalid_id;
  }

  /// Returns the first node of a sublist, or invalid_id if there is none.
  COPSE_HD u32 first_node(u32 sublist) const {
    const u32 node = sublist + 1 == sublist_count(n) ? head : node_in(sublist);
    return node < n && sublist_of(node) == sublist ? node : invalid_id;
  }
};
static_assert(sublist_nodes == 1u << (32 - 26));

}  // namespace copse::detail
