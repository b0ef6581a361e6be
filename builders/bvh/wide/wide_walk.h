#pragma once

// What became of the nodes of a binary tree by their choices (wide_slots.h), found by short walks from any of
// them.

#include "builders/bvh/wide/wide_links.h"

namespace copse::detail {

/// The binary tree with the choices of its inner nodes. An inner node goes by the pair of its children.
///   Pairs: PairArrays, or what answers as it does
template <u32 width, class Pairs = PairArrays<width>>
struct CollapsedTree {
  Pairs pairs;

  /// A child of a wide node, and the first of the slots that it was given.
  struct Child {
    u32 node;             // of the binary tree
    u32 begin;            // slot
    u32 primitive_count;  // of a leaf; 0 where it is a wide node
    u32 pair;             // of the wide node's children
  };

  /// The child that was given `slot` by the wide node whose children the pair's are.
  COPSE_HD Child child_at(u32 pair, u32 slot) const {
    u32 begin = 0, end = width, slots = width;
    PairChoice<width> chosen = pairs.choice(pair);
    for (;;) {
      const u32 middle = begin + chosen.choice().left_part(slots), side = slot >= middle ? 1 : 0;
      (side != 0 ? begin : end) = middle;
      slots = end - begin;
      const u32 node = 2 * pair + 1 + side;
      const PairLinks links = pairs.link(pair);
      const u32 count = chosen.count(side);
      if (links.is_leaf(side)) return {node, begin, count, 0};
      const u32 below = links.pair(side);
      chosen = pairs.choice(below);
      if (!chosen.choice().shares(slots)) {
        const bool is_leaf = chosen.choice().template is_leaf_alone<width>();
        return {node, begin, is_leaf ? count : 0, below};
      }
      pair = below;
    }
  }

  /// A search up the tree for what became of a node. Byte s - 1 tells, for s of 1 to width - 1, whether the
  /// ancestor reached would make a wide node, with s slots, of the one where the search began: 1 or 0. The other
  /// bytes are 0.
  struct Search {
    u32 node;  // the ancestor
    u32 lo, hi;
  };

  /// Begins with the parent of a pair.
  COPSE_HD static Search begin_at(SlotChoice choice, u32 parent) {
    if (choice.template is_leaf_alone<width>()) return {parent, 0, 0};
    const u32 shares = choice.bits >> 3 & 0x11111111u;
    return Search{parent, pick_bytes(1, 0, shares) & all_lo, pick_bytes(1, 0, shares >> 16) & all_hi};
  }

  /// Whether it is settled: mostly a few ancestors up. Then byte 0 tells, as the root has one slot.
  COPSE_HD static bool is_settled(const Search& search) {
    const bool is_same = (search.lo | search.hi) == 0 || (search.lo == all_lo && search.hi == all_hi);
    return search.node == 0 || is_same;
  }
  COPSE_HD static bool is_wide(const Search& settled) { return (settled.lo & 1u) != 0; }

  /// An ancestor with s slots makes of the node what the child on the way does with its part of them.
  COPSE_HD void climb(Search& search) const {
    const u32 above = sibling_pair(search.node);
    const u32 parent = pairs.parent(above), parts = pairs.parts_less_one(above, search.node % 2 == 0);
    const u32 lo = pick_bytes(search.lo, search.hi, parts) & all_lo;
    search.hi = pick_bytes(search.lo, search.hi, parts >> 16) & all_hi;
    search.lo = lo;
    search.node = parent;
  }

 private:
  static constexpr u32 all_lo = width == 4 ? 0x00010101u : 0x01010101u;
  static constexpr u32 all_hi = width == 4 ? 0 : 0x00010101u;
};

}  // namespace copse::detail
