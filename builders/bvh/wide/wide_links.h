#pragma once

// What passes over the pairs of a binary tree need to know of it, in a quarter of the bytes of its nodes.

#include "builders/bvh/node.h"
#include "builders/bvh/wide/wide_slots.h"
#include "primitives/core/words.h"

namespace copse::detail {

/// What the two nodes of a pair refer to.
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
  /// No index known at run time alone: that would put the pair into local memory.
  COPSE_HD u32 word(u32 side) const { return side == 0 ? to[0] : to[1]; }
  COPSE_HD static u32 to_below(const BvhNode& node) {
    return node.is_leaf() ? leaf_bit | node.first : sibling_pair(node.first);
  }
};

/// What was chosen for a pair's parent, and how many primitives are below the two nodes of the pair, or
/// SlotCosts::many: in a word for four slots, in two for eight.
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

/// What is known of each pair once slots have been chosen from the leaves up.
template <u32 width>
struct ChosenPairs {
  PairChoice<width>* choices;
  PairLinks* links;
};

/// The same to read, with the tree's parents.
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

}  // namespace copse::detail
