#pragma once

// The nodes of an H-PLOC tree that are on no rank, because they come from merges over the borders between ranks.
//
// Each rank merges the clusters of its leaves as far as they do not depend on other ranks (hploc_slice.h). What is left
// of all ranks merges as one build would merge it, and every rank does so. Only the links of these nodes are kept. So
// when triangles move, the boxes follow from those of the parts:
//
//   border pairs    slot 3: links to 1 and 4        every rank has them
//   parts           slot 1: ..  |  slot 4: ..       each rank has the pairs that it has made, with their boxes
//
// A rank also merges what is left of its own clusters to one, to have a tree of its own. It has no other use for these
// nodes. They stand where border pairs stand in the whole tree.

#include <span>
#include <vector>

#include "builders/bvh/border_pair.h"
#include "builders/bvh/hploc/hploc_slice.h"

namespace copse::detail {

/// The ranges of a rank whose clusters wait for those of other ranks.
struct RangesOfRank {
  std::span<const WaitingRange> ranges;  // their slots count from the first one of the rank
  u64 first_slot;
  u32 delta_behind;  // behind its leaves: one more than the stored delta; 0 behind the last leaf of all
};

/// Merges what is left of the ranks. Returns the new pairs, children before their parents.
///   ranks: those with leaves, in the order of their slots
std::vector<BorderPair> merge_ranks(std::span<const RangesOfRank> ranks, u32 radius);

/// Returns the node that a link stands for. Its children are stored.
///   leaf_in_slot: returns the node of a leaf
template <class LeafInSlot>
BvhNode node_of_link(u64 link, const LeafInSlot& leaf_in_slot, const BvhNode* nodes) {
  if (links_to_leaf(link)) return leaf_in_slot(linked_slot(link));
  return BvhNode::inner(merge(nodes[link].box(), nodes[link + 1].box()), u32(link));
}

/// Stores a pair of nodes in a tree that has its children.
template <class LeafInSlot>
void store_pair(const BorderPair& pair, const LeafInSlot& leaf_in_slot, const BvhArrays& tree) {
  for (u64 side = 0; side < 2; ++side) {
    const u64 place = link_to_pair(pair.slot) + side;
    const BvhNode node = node_of_link(pair.links[side], leaf_in_slot, tree.nodes);
    tree.nodes[place] = node;
    if (!node.is_leaf()) tree.parents[sibling_pair(node.first)] = u32(place);
  }
}

/// Stores the border pairs, and the root, in a tree that has the nodes of all ranks.
///   pairs:       children before their parents
///   first_slots: of the ranks, and the end
void store_border_pairs(std::span<const BorderPair> pairs, std::span<const u64> first_slots,
                        const BvhArrays& whole);

}  // namespace copse::detail
