// The collapse of a binary tree into a wide one: choose from the leaves up the role of each node (wide_slots.h),
// find the nodes that become wide nodes and the children in their slots, give nodes and primitives their places by
// a prefix sum, and write them.
//
// So no counter hands out nodes, and siblings are neighbours. The inner children of all wide nodes stand in the
// order of the pairs of these nodes. In an LBVH this is the order of their splits.
//
// The cooperative stages, collapse_cpu.h and collapse.cuh:
//
//   choose_upwards<width>(ex, bvh, n, costs, slot_costs, chosen)
//     For each pair of the tree, children before their parents, writes the best choice for its parent by
//     choose_slots(), with its counts, and its links. `slot_costs`: room for one per pair.
//   choose_upwards_scratch_bytes(ex, n)
//
//   write_wide_nodes(ex, pairs, counts, n, write, write_counts, parts)
//     Finds the nodes that become wide nodes, gives each its place, calls write(record, first_parts, place, slot,
//     child, node) for all their slots, as WriteSlot takes it, and stores the nodes. The root is at place 0; the
//     inner children of all wide nodes follow, in the order of the pairs of these nodes, and so do the primitives
//     of their leaves. *parts = all nodes and primitives, or the root alone if the tree has no pair. After that,
//     calls write_counts(i, threads) for all i below a number of threads.
//   write_wide_nodes_scratch_bytes<width>(ex, n)

#include "builders/bvh/wide/collapse_write.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// Chooses the role of each inner node of the binary tree.
template <u32 width, class Executor>
void choose_slots_of_all(const Executor& ex, const BvhView& bvh, u64 n, const CollapseCosts& costs,
                         const ChosenPairs<width>& chosen) {
  ScratchArena::Frame frame(ex.scratch);
  auto* slot_costs = frame.allocate<SlotCosts<width>>(pair_capacity(n));
  choose_upwards<width>(ex, bvh, n, costs, slot_costs, chosen);
}

template <class Executor, class Node>
void collapse_tree(const Executor& ex, const BvhView& bvh, u64 n, const CollapseCosts& costs,
                   const WideArrays<Node>& wide) {
  constexpr u32 width = Node::width;
  const u64 pair_count = pair_capacity(n);
  const BvhNode* nodes = bvh.nodes.data();
  const BvhCounts* counts = bvh.counts.data();
  const u32* ids = bvh.primitive_ids.data();
  ScratchArena::Frame frame(ex.scratch);

  // Choose the roles of the nodes.
  const ChosenPairs<width> chosen{frame.allocate<PairChoice<width>>(pair_count),
                                  frame.allocate<PairLinks>(pair_count)};
  choose_slots_of_all<width>(ex, bvh, n, costs, chosen);

  // Write the wide nodes to their places.
  const PairArrays<width> pairs{chosen.choices, chosen.links, bvh.parents.data()};
  u64* parts = frame.allocate<u64>(1);
  write_wide_nodes(ex, pairs, counts, n, WriteSlot<Node>{nodes, {pairs, ids}, wide},
                   WriteCounts<Node>{nodes, ids, counts, parts, n, wide}, parts);
}

template <class Node, class Executor>
u64 collapse_scratch_bytes(const Executor& ex, u64 n) {
  constexpr u32 width = Node::width;
  const u64 pair_count = pair_capacity(n);
  const u64 chosen =
      ScratchArena::bytes_for<PairChoice<width>>(pair_count) + ScratchArena::bytes_for<PairLinks>(pair_count);
  const u64 choosing = ScratchArena::bytes_for<SlotCosts<width>>(pair_count) + choose_upwards_scratch_bytes(ex, n);
  const u64 writing = ScratchArena::bytes_for<u64>(1) + write_wide_nodes_scratch_bytes<width>(ex, n);
  return chosen + larger(choosing, writing);
}

template <class Executor>
void copy_words(const Executor& ex, const u32* from, u64 count, u32* to) {
  for_each(ex, "compact copy", count, CopyElements<u32>{from, to});
}

#define COPSE_COLLAPSE(Node)                                                                  \
  template void collapse_tree(const BodyExecutor&, const BvhView&, u64, const CollapseCosts&, \
                              const WideArrays<Node>&);                                       \
  template u64 collapse_scratch_bytes<Node>(const BodyExecutor&, u64);
COPSE_COLLAPSE(Bvh4Node)
COPSE_COLLAPSE(CompressedBvh4Node)
COPSE_COLLAPSE(CompressedBvh8Node)
#undef COPSE_COLLAPSE

template void copy_words(const BodyExecutor&, const u32*, u64, u32*);

}  // namespace copse::detail
