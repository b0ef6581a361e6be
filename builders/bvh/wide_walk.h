#pragma once

// What became of the nodes of a binary tree by their choices (wide_slots.h), found by short walks from any of
// them.

#include "builders/bvh/wide_slots.h"
#include "primitives/tree_walk.h"

namespace copse::detail {

/// The binary tree with the choices of its inner nodes. An inner node goes by the pair of its children.
template <u32 width>
struct CollapsedTree {
  const BvhNode* nodes;
  const u32* parents;
  const SlotChoice* choices;

  /// A child of a wide node, and the slots [begin, end) that it was given.
  struct Child {
    u32 node;  // of the binary tree
    u32 begin, end;
    bool is_leaf;  // else a wide node
  };

  /// The child that was given `slot` by the wide node whose children the pair's are.
  COPSE_HD Child child_at(u32 pair, u32 slot) const {
    u32 begin = 0, end = width, slots = width;
    for (;;) {
      const u32 middle = begin + choices[pair].left_part(slots);
      const bool is_right = slot >= middle;
      (is_right ? begin : end) = middle;
      slots = end - begin;
      const u32 node = 2 * pair + 1 + u32(is_right);
      const BvhNode& found = nodes[node];
      if (found.is_leaf()) return {node, begin, end, true};
      pair = sibling_pair(found.first);
      const SlotChoice choice = choices[pair];
      if (!choice.shares(slots)) return {node, begin, end, choice.is_leaf_alone<width>()};
    }
  }

  /// A search up the tree for what became of a node. A set holds the numbers of slots, bit s - 1 for s, with which
  /// the ancestor reached would make a wide node of the one where the search began.
  struct Search {
    u32 node;  // the ancestor
    u32 set;
  };

  /// Begins with the parent of a pair.
  COPSE_HD static Search begin(SlotChoice choice, u32 parent) { return {parent, alone_as_wide(choice)}; }

  /// Whether it is settled: mostly a few ancestors up. Then bit 0 tells, as the root has one slot.
  COPSE_HD static bool is_settled(const Search& search) {
    return search.node == 0 || search.set == 0 || search.set == all_slots;
  }
  COPSE_HD static bool is_wide(const Search& settled) { return (settled.set & 1u) != 0; }

  COPSE_HD void climb(Search& search) const {
    const u32 above = sibling_pair(search.node);
    const SlotChoice choice = choices[above];
    const u32 parent = parents[above];
    search.set = set_above(choice, search.set, search.node == 2 * above + 2);
    search.node = parent;
  }

 private:
  static constexpr u32 all_slots = (1u << (width - 1)) - 1;

  /// With which slots a node is a wide one.
  COPSE_HD static u32 alone_as_wide(SlotChoice choice) {
    if (choice.is_leaf_alone<width>()) return 0;
    u32 set = 0;
#pragma unroll
    for (u32 slots = 1; slots < width; ++slots) {
      if (!choice.shares(slots)) set |= 1u << (slots - 1);
    }
    return set;
  }

  /// The set of a node, from that of its left or right child.
  COPSE_HD static u32 set_above(SlotChoice choice, u32 set, bool is_right) {
    const u32 part_of_wide = part(choice, width, is_right);
    const u32 alone = (set >> (part_of_wide - 1) & 1u) != 0 ? alone_as_wide(choice) : 0;
    u32 shared = 0;
#pragma unroll
    for (u32 slots = 2; slots < width; ++slots) {
      if (choice.shares(slots)) shared |= (set >> (part(choice, slots, is_right) - 1) & 1u) << (slots - 1);
    }
    return alone | shared;
  }

  COPSE_HD static u32 part(SlotChoice choice, u32 slots, bool is_right) {
    const u32 left = choice.left_part(slots);
    return is_right ? slots - left : left;
  }
};

/// The binary tree, for walks down (tree_walk.h).
struct BinaryTree {
  const BvhNode* nodes;
  const u32* parents;

  COPSE_HD u32 family(u32 node) const { return sibling_pair(node); }
  COPSE_HD u32 parent(u32 pair) const { return parents[pair]; }
  COPSE_HD u32 child_count(u32 node) const { return nodes[node].is_leaf() ? 0 : 2; }
  COPSE_HD u32 first_child(u32 node) const { return nodes[node].first; }
};

}  // namespace copse::detail
