#pragma once

// Trees whose leaves hold several primitives. Nodes are first numbered as if every primitive were a leaf, then
// compacted so that the numbering follows the actual leaves. For bodies: the executor's primitives must be
// included.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/sah/sah_split.h"
#include "primitives/core/executor.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// Returns 1 if a leaf begins in slot i, else 0.
struct SahStartsLeaf {
  const u32* parents;  // invalid_id where there is no split
  const u32* valid_count;
  COPSE_HD u32 operator()(u64 i) const {
    if (i >= *valid_count) return 0;
    return i == 0 || parents[i - 1] != invalid_id ? 1 : 0;
  }
};

/// Moves the two nodes of the split before slot i to their final places; for slot 0, moves the root.
struct SahCloseRanks {
  SahTree from;
  const u32* leaf_of_slot;  // leaves that begin before the slot
  const u32* valid_count;
  BvhArrays to;

  COPSE_HD void operator()(u64 i) const {
    if (i >= *valid_count) return;
    if (i == 0) return move_node(0, 0);
    if (from.parents[i - 1] == invalid_id) return;
    const u32 pair = u32(i) - 1, new_pair = leaf_of_slot[i] - 1;
    move_node(2 * pair + 1, 2 * new_pair + 1);
    move_node(2 * pair + 2, 2 * new_pair + 2);
    to.parents[new_pair] = new_place(from.parents[pair]);
  }

  COPSE_HD void move_node(u32 place, u32 new_place_of_it) const {
    const BvhNode node = from.nodes[place];
    to.nodes[new_place_of_it] = node.is_leaf() ? node : BvhNode::inner(node.box(), new_place(node.first));
  }

  COPSE_HD u32 new_place(u32 node) const {
    if (node == 0) return 0;
    const u32 slot = sibling_pair(node) + 1;
    return node - 2 * (slot - leaf_of_slot[slot]);
  }
};

/// Calls build(tree) with memory for a tree that is numbered by slots, and compacts that tree into `bvh`.
/// *leaf_count = its number of leaves.
template <class Executor, class Build>
void with_sparse_tree(const Executor& ex, u64 n, const u32* valid_count, const BvhArrays& bvh, u32* leaf_count,
                      const Build& build) {
  ScratchArena::Frame frame(ex.scratch);
  const SahTree tree{frame.allocate<BvhNode>(node_capacity(n)), frame.allocate<u32>(n), bvh.primitive_ids};
  u32* leaf_of_slot = frame.allocate<u32>(n);
  fill_bytes(ex, "sah: no splits", tree.parents, n, 0xff);
  build(tree);
  exclusive_scan(ex, "sah: number leaves", n, SahStartsLeaf{tree.parents, valid_count}, u32{0}, Plus{},
                 leaf_of_slot, leaf_count);
  for_each(ex, "sah: close ranks", n, SahCloseRanks{tree, leaf_of_slot, valid_count, bvh});
}

template <class Executor>
u64 sparse_tree_scratch_bytes(const Executor& ex, u64 n, u64 build_bytes) {
  return ScratchArena::bytes_for<BvhNode>(node_capacity(n)) + 2 * ScratchArena::bytes_for<u32>(n) +
         larger(build_bytes, u64(scan_scratch_bytes<u32>(ex, n)));
}

}  // namespace copse::detail
