// Wide trees from binary ones: choose from the leaves up what becomes of each node (wide_slots.h), count the
// children of those that become wide ones, give nodes and primitives their places by a prefix sum, write them.
//
// So no node is handed out by a counter, and siblings are neighbours: the children of the wide nodes stand in the
// order of the splits at which these divide their primitives.
//
// The cooperative stage, cpu/widen.h and cuda/widen.cuh:
//
//   choose_upwards<width>(ex, bvh, n, costs, slot_costs, choices)
//     choices[pair] = what choose_slots() finds best for the pair's parent, for all inner nodes of the tree,
//     children before their parents. `slot_costs`: room for one a pair.
//   choose_upwards_scratch_bytes(ex, n)

#include "builders/bvh/widen_body.h"
#include "builders/bvh/widen_write.h"
#include "primitives/flags.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// Chooses what becomes of each inner node of the binary tree.
template <u32 width, class Executor>
void choose_slots_of_all(const Executor& ex, const BvhView& bvh, u64 n, const CollapseCosts& costs,
                         SlotChoice* choices) {
  ScratchArena::Frame frame(ex.scratch);
  auto* slot_costs = frame.allocate<SlotCosts<width>>(pair_capacity(n));
  choose_upwards<width>(ex, bvh, n, costs, slot_costs, choices);
}

/// Lists the wide nodes and their children.
template <u32 width, class Executor>
WideList<width> list_wide_nodes(const Executor& ex, ScratchArena::Frame& frame, const CollapsedTree<width>& tree,
                                const BvhCounts* counts, u64 n) {
  const u64 pair_count = pair_capacity(n);
  u64* count = frame.allocate<u64>(1);
  u32* pairs = frame.allocate<u32>(pair_count);
  const WideList<width> list{count, pairs, frame.allocate<u32>(width * pair_count),
                             frame.allocate<SlotKinds<width>>(pair_count)};
  {
    ScratchArena::Frame flags_frame(ex.scratch);
    u8* wide = flags_frame.allocate<u8>(pair_count);
    for_each_stepped(ex, "widen: find wide nodes", pair_count, FindWideNodes<width>{tree, counts, wide},
                     static_cast<u64*>(nullptr));
    compact_each(ex, "widen: list wide nodes", pair_count, ByteFlags{wide}, ListPair{pairs}, count);
  }
  for_listed(ex, "widen: find children", pair_count, list, width, FindChild<width>{tree, list});
  return list;
}

template <class Executor, class Node>
void widen_tree(const Executor& ex, const BvhView& bvh, u64 n, const CollapseCosts& costs,
                const WideArrays<Node>& wide) {
  constexpr u32 width = Node::width;
  const u64 pair_count = pair_capacity(n);
  const BvhNode* nodes = bvh.nodes.data();
  const u32* parents = bvh.parents.data();
  const BvhCounts* counts = bvh.counts.data();
  ScratchArena::Frame frame(ex.scratch);

  // Choose what becomes of the nodes.
  auto* choices = frame.allocate<SlotChoice>(pair_count);
  choose_slots_of_all<width>(ex, bvh, n, costs, choices);

  // Place the children of each wide node; the root has the first place.
  const auto list = list_wide_nodes(ex, frame, CollapsedTree<width>{nodes, parents, choices}, counts, n);
  u64* first_parts = frame.allocate<u64>(pair_count);
  u32* places = frame.allocate<u32>(pair_count);
  exclusive_scan(ex, "widen: places", pair_count, PartsToSum<width>{list}, u64{1}, Plus{}, first_parts,
                 static_cast<u64*>(nullptr));
  for_listed(ex, "widen: place nodes", pair_count, list, width,
             PlaceNode<width>{nodes, parents, list, first_parts, places});

  // Write them.
  constexpr u64 most_threads = u64{1} << 16;
  const BinaryTree tree{nodes, parents};
  const u32* ids = bvh.primitive_ids.data();
  for_listed(ex, "widen: write nodes", pair_count, list, width,
             WriteSlot<Node>{tree, ids, list, first_parts, places, wide});
  for_each(ex, "widen: counts", 1, WriteCountsAndLoneLeaf<Node>{tree, ids, counts, list.count, wide});
  for_each(ex, "widen: left out", smaller(n, most_threads),
           CopyLeftOut{ids, counts, n, smaller(n, most_threads), wide.primitive_ids});
}

template <class Node, class Executor>
u64 widen_scratch_bytes(const Executor& ex, u64 n) {
  const u64 pair_count = pair_capacity(n);
  const u64 words = ScratchArena::bytes_for<u32>(pair_count), count = ScratchArena::bytes_for<u64>(1);
  const u64 choosing =
      ScratchArena::bytes_for<SlotCosts<Node::width>>(pair_count) + choose_upwards_scratch_bytes(ex, n);
  const u64 list = count + words + ScratchArena::bytes_for<u32>(Node::width * pair_count) +
                   ScratchArena::bytes_for<SlotKinds<Node::width>>(pair_count);
  const u64 finding = ScratchArena::bytes_for<u8>(pair_count) + compact_scratch_bytes<u32>(ex, pair_count);
  const u64 placing = ScratchArena::bytes_for<u64>(pair_count) + words + scan_scratch_bytes<u64>(ex, pair_count);
  return words + larger(choosing, list + larger(finding, placing));
}

template <class Executor>
void copy_words(const Executor& ex, const u32* from, u64 count, u32* to) {
  for_each(ex, "compact copy", count, CopyElements<u32>{from, to});
}

#define COPSE_WIDEN(Node)                                                                  \
  template void widen_tree(const BodyExecutor&, const BvhView&, u64, const CollapseCosts&, \
                           const WideArrays<Node>&);                                       \
  template u64 widen_scratch_bytes<Node>(const BodyExecutor&, u64);
COPSE_WIDEN(Bvh4Node)
COPSE_WIDEN(CompressedBvh4Node)
COPSE_WIDEN(CompressedBvh8Node)
#undef COPSE_WIDEN

template void copy_words(const BodyExecutor&, const u32*, u64, u32*);

}  // namespace copse::detail
