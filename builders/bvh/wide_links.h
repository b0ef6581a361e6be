#pragma once

// What passes over the pairs of a binary tree need to know of it, in a third of the bytes of its nodes.

#include "builders/bvh/node.h"
#include "builders/bvh/wide_slots.h"

namespace copse::detail {

/// A node by whole words of 16 bytes.
COPSE_HD inline BvhNode load_whole(const BvhNode* node) {
  struct alignas(16) Words {
    u32 word[4];
  };
  const auto* words = reinterpret_cast<const Words*>(node);
  const Words lo = words[0], hi = words[1];
  return {vec3(float_from_bits(lo.word[0]), float_from_bits(lo.word[1]), float_from_bits(lo.word[2])), lo.word[3],
          vec3(float_from_bits(hi.word[0]), float_from_bits(hi.word[1]), float_from_bits(hi.word[2])), hi.word[3]};
}

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

/// How many primitives are below the two nodes of a pair, or SlotCosts::many.
struct alignas(2) PairCounts {
  u8 left, right;

  COPSE_HD u32 of(u32 side) const { return side == 0 ? left : right; }
  template <u32 width>
  COPSE_HD static PairCounts of_children(const SlotCosts<width>& left, const SlotCosts<width>& right) {
    return {u8(left.primitive_count), u8(right.primitive_count)};
  }
};

/// What is known of each pair once slots have been chosen from the leaves up.
struct ChosenPairs {
  SlotChoice* choices;  // of the pair's parent
  PairLinks* links;
  PairCounts* counts;
};

/// The same to read, with the tree's parents.
struct PairArrays {
  const SlotChoice* choices;
  const PairLinks* links;
  const PairCounts* counts;
  const u32* parents;

  COPSE_HD SlotChoice choice(u32 pair) const { return choices[pair]; }
  COPSE_HD PairLinks link(u32 pair) const { return links[pair]; }
  COPSE_HD PairCounts counts_of(u32 pair) const { return counts[pair]; }
  COPSE_HD u32 parent(u32 pair) const { return parents[pair]; }
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
