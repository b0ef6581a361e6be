#pragma once

// The binary tree in the form in which passes over its pairs read it, and the role of each node in the wide tree,
// which follows from the choices (wide_slots.h).
//
// The child links of each sibling pair stand in 8 bytes, for passes that need topology but no boxes. A short walk
// from a node to its ancestors finds the role of the node.

#include "builders/bvh/node.h"
#include "builders/bvh/wide/wide_slots.h"
#include "primitives/core/words.h"

namespace copse::detail {

/// The links of the two nodes of a pair.
///
///   31   30 .. 0
///   0    pair of the node's children
///   1    first slot of the leaf's primitives
struct alignas(8) PairLinks {
  static constexpr u32 leaf_bit = 1u << 31;

  u32 to[2];

  COPSE_HD static PairLinks of(const BvhNode& left, const BvhNode& right) {
    return {{to_below(left), to_below(right)}};
  }

  COPSE_HD bool is_leaf(u32 side) const { return (word(side) & leaf_bit) != 0; }
  COPSE_HD u32 pair(u32 side) const { return word(side); }
  COPSE_HD u32 first_slot(u32 side) const { return word(side) & ~leaf_bit; }

 private:
  /// An index that is known only at run time would put the pair into local memory.
  COPSE_HD u32 word(u32 side) const { return side == 0 ? to[0] : to[1]; }
  COPSE_HD static u32 to_below(const BvhNode& node) {
    return node.is_leaf() ? leaf_bit | node.first : sibling_pair(node.first);
  }
};

/// The choice for the parent of a pair, and the numbers of primitives below the two nodes of the pair, or
/// SlotCosts::many: one word for four slots, two words for eight.
///
///   31    24 23   16 15           0      63    48 47    40 39   32 31             0
///   right    left    choice, width 4     .        right    left    choice, width 8
template <u32 width>
struct alignas(width) PairChoice {
  u32 words[width / 4];

  COPSE_HD static PairChoice of(SlotChoice choice, const SlotCosts<width>& left, const SlotCosts<width>& right) {
    const u32 counts = u32(right.primitive_count) << 8 | left.primitive_count;
    if constexpr (width == 4)
      return {{counts << 16 | choice.bits}};
    else
      return {{choice.bits, counts}};
  }
  COPSE_HD SlotChoice choice() const { return {width == 4 ? words[0] & 0xffffu : words[0]}; }
  COPSE_HD u32 count(u32 side) const {
    const u32 counts = width == 4 ? words[0] >> 16 : words[width / 4 - 1];
    return side == 0 ? counts & 0xffu : counts >> 8;
  }
};
static_assert(sizeof(PairChoice<4>) == 4 && sizeof(PairChoice<8>) == 8);

/// The output of choosing slots from the leaves up, for each pair.
template <u32 width>
struct ChosenPairs {
  PairChoice<width>* choices;
  PairLinks* links;
};

/// The same, to read, with the parents of the tree.
template <u32 width>
struct PairArrays {
  const PairChoice<width>* choices;
  const PairLinks* links;
  const u32* parents;

  COPSE_HD PairChoice<width> choice(u32 pair) const { return choices[pair]; }
  COPSE_HD PairLinks link(u32 pair) const { return links[pair]; }
  COPSE_HD u32 parent(u32 pair) const { return parents[pair]; }
  COPSE_HD u32 parts_less_one(u32 pair, bool is_right) const {
    return choices[pair].choice().template parts_less_one<width>(is_right);
  }
};

/// The binary tree for walks down (tree_walk.h).
struct LinkedTree {
  const PairLinks* links;
  const u32* parents;

  COPSE_HD static u32 side(u32 node) { return (node & 1) ^ 1; }
  COPSE_HD u32 family(u32 node) const { return sibling_pair(node); }
  COPSE_HD u32 parent(u32 pair) const { return parents[pair]; }
  COPSE_HD u32 child_count(u32 node) const { return links[family(node)].is_leaf(side(node)) ? 0 : 2; }
  COPSE_HD u32 first_child(u32 node) const { return 2 * links[family(node)].pair(side(node)) + 1; }
};

/// The binary tree with the choices of its inner nodes. The number of an inner node is that of its children's
/// pair.
///   Pairs: PairArrays, or a type with the same members
template <u32 width, class Pairs = PairArrays<width>>
struct CollapsedTree {
  Pairs pairs;

  /// A child of a wide node, and the first of its slots.
  struct Child {
    u32 node;             // of the binary tree
    u32 begin;            // its first slot
    u32 primitive_count;  // of a leaf; 0 for a wide node
    u32 pair;             // the children of the wide node
  };

  /// Returns the child in `slot` of the wide node that is the parent of `pair`.
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

  /// A search up the tree that finds whether a node becomes a wide node. For s from 1 to width - 1, byte s - 1 is
  /// 1 if the node would become a wide node when the ancestor reached so far had s slots, else 0. The other bytes
  /// are 0.
  struct Search {
    u32 node;  // the ancestor
    u32 lo, hi;
  };

  /// Begins a search for the parent of a pair.
  COPSE_HD static Search begin_at(SlotChoice choice, u32 parent) {
    if (choice.template is_leaf_alone<width>()) return {parent, 0, 0};
    const u32 shares = choice.bits >> 3 & 0x11111111u;
    return Search{parent, pick_bytes(1, 0, shares) & all_lo, pick_bytes(1, 0, shares >> 16) & all_hi};
  }

  /// Returns whether all bytes agree or the root is reached: mostly after a few ancestors. Then byte 0 is the
  /// answer, as the root has one slot.
  COPSE_HD static bool is_settled(const Search& search) {
    const bool is_same = (search.lo | search.hi) == 0 || (search.lo == all_lo && search.hi == all_hi);
    return search.node == 0 || is_same;
  }
  COPSE_HD static bool is_wide(const Search& settled) { return (settled.lo & 1u) != 0; }

  /// Goes on to the parent: if that has s slots, the child on the path has its part of them.
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
