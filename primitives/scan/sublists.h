#pragma once

// How list ranking cuts a list into sublists.

#include "primitives/core/bits.h"

namespace copse::detail {

/// The nodes of a sublist, on average. Longer ones leave fewer to rank, and take longer to walk alone.
inline constexpr u32 sublist_nodes = 64;

/// Lists of up to so many nodes are walked from end to end.
inline constexpr u32 short_list_nodes = 128;

/// One sublist for each block of `sublist_nodes` node ids, and that of the head.
COPSE_HD inline constexpr u64 sublist_count(u64 n) {
  return divide_rounding_up(n, sublist_nodes) + 1;
}

/// Which nodes start sublists: one in each block of ids, at a place that no regular list keeps hitting or
/// missing, and the head.
struct Splitters {
  u32 n, head;

  /// May be past the last node.
  COPSE_HD u32 node_in(u32 block) const { return block * sublist_nodes + (block * 2654435761u >> 26); }

  /// invalid_id for other nodes.
  COPSE_HD u32 sublist_of(u32 node) const {
    const u32 block = node / sublist_nodes;
    if (node == node_in(block)) return block;
    return node == head ? u32(sublist_count(n) - 1) : invalid_id;
  }

  /// Where there is none, invalid_id.
  COPSE_HD u32 first_node(u32 sublist) const {
    const u32 node = sublist + 1 == sublist_count(n) ? head : node_in(sublist);
    return node < n && sublist_of(node) == sublist ? node : invalid_id;
  }
};
static_assert(sublist_nodes == 1u << (32 - 26));

}  // namespace copse::detail
