#pragma once

// How a binary tree collapses into wide nodes: which of its nodes become wide nodes or leaves, and which only hand
// the slots of a wide node above them on to their children.
//
// From the leaves up, the collapse computes for every node the minimum SAH cost of its subtree, for each number of
// slots that a wide node may give it. With one slot the node is a wide node itself, or a leaf; with more it may
// share them between its two children. So every wide node gets the children that are best for the whole tree, and
// no slot is wasted. Greedy rules, from the root down or from the leaves up, cost 4 to 35 % more; see
// docs/decisions/0010-all-numbers-of-slots-in-one-word.md.
//
// Source: Ylitie, Karras, Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs", HPG
// 2017, section 4.1. Where we differ: the choices of a node for all numbers of slots are one word. From these
// words, collapsed_tree.h finds the role of a node without a pass from the root down.

#include "builders/bvh/bvh.h"
#include "builders/bvh/reinsert/area_scale.h"
#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"

namespace copse::detail {

/// The choices of a binary node: four bits for each number of slots that it may get, 1 to width:
///
///   slots < width   o lll   o = 1: it shares them, and its left child gets 1 + lll of them;
///                           o = 0: it takes one slot itself, as a wide node that gives 1 + lll of its own slots
///                           to its left child, or as a leaf, if lll is width - 1
///   slots = width   a lll   a = 1: with one slot it is a leaf; a = 0: a wide node, 1 + lll for its left child
struct SlotChoice {
  u32 bits = 0;

  COPSE_HD bool shares(u32 slots) const { return (bits >> 4 * (slots - 1) & 8u) != 0; }
  template <u32 width>
  COPSE_HD bool is_leaf_alone() const {
    return (bits >> 4 * (width - 1) & 8u) != 0;
  }
  /// Returns the left child's part: of `slots` if the node shares them, else of the `width` slots of a wide node.
  COPSE_HD u32 left_part(u32 slots) const { return 1 + (bits >> 4 * (slots - 1) & 7u); }

  /// Returns four bits for every number of slots that the node may have: one less than the part of its left or
  /// right child, of those slots or, if it is a wide node, of the width; width - 1 if it is a leaf.
  ///
  ///   slots      8 7 6 5 4 3 2 1
  ///   less two   . 5 4 3 2 1 0 .    minus the left part's four bits: the right part's, if the slots are shared
  template <u32 width>
  COPSE_HD u32 parts_less_one(bool is_right) const {
    const u32 left = bits & 0x77777777u;
    if (!is_right) return left;
    const u32 is_shared = (bits >> 3 & 0x11111111u) * 15;
    const u32 alone = (is_leaf_alone<width>() ? 2 * width - 2 : width - 2) * 0x11111111u;
    return ((0x05432100u & is_shared) | (alone & ~is_shared)) - left;
  }

  COPSE_HD void set(u32 slots, bool flag, u32 left_part) {
    bits |= (left_part - 1 + (flag ? 8u : 0u)) << 4 * (slots - 1);
  }
};

/// The minimum cost of a subtree for 1 to width - 1 slots. More slots never cost more.
template <u32 width>
struct alignas(16) SlotCosts {
  float of[width - 1];
  u16 primitive_count;  // below it, or `many`
  u16 chain;            // maximum nodes on a path down from it that may hand slots on

  static constexpr u32 many = 255;

  COPSE_HD static SlotCosts of_leaf(float cost, u32 count) {
    SlotCosts costs;
    for (u32 i = 0; i < width - 1; ++i) costs.of[i] = cost;
    costs.primitive_count = u16(smaller(count, many));
    costs.chain = 0;
    return costs;
  }
};

struct CollapseCosts {
  float traversal;     // of a wide node
  float intersection;  // of a primitive
  u32 max_leaf_size;

  COPSE_HD float of_leaf(float area, u32 primitive_count) const {
    return intersection * area * float(primitive_count);
  }
};

/// Maximum nodes on a path that hand slots on. The next node above them takes one slot, however many it is given.
/// It bounds the walks of collapsed_tree.h in trees like chains. Other trees never reach it.
inline constexpr u32 max_chain = 64;

template <u32 width>
struct ChosenSlots {
  SlotCosts<width> costs;
  SlotChoice choice;
};

/// Returns the best choice for an inner node of area `area` whose children have these costs. The root must be a
/// wide node.
template <u32 width>
COPSE_HD ChosenSlots<width> choose_slots(const CollapseCosts& costs, const SlotCosts<width>& left,
                                         const SlotCosts<width>& right, float area, bool is_root) {
  // Share every number of slots in the best way; of equal ones, take that with the fewest slots to the left.
  float shared[width + 1];
  u32 left_parts[width + 1];
#pragma unroll
  for (u32 slots = 2; slots <= width; ++slots) {
    shared[slots] = left.of[0] + right.of[slots - 2];
    left_parts[slots] = 1;
#pragma unroll
    for (u32 part = 2; part < slots; ++part) {
      const float cost = left.of[part - 1] + right.of[slots - part - 1];
      if (cost < shared[slots]) {
        shared[slots] = cost;
        left_parts[slots] = part;
      }
    }
  }

  // With one slot it is a wide node, or a leaf if that is cheaper.
  const u32 count = u32(left.primitive_count) + right.primitive_count;
  const u32 chain = 1 + larger(left.chain, right.chain);
  const bool is_alone = chain >= max_chain;
  const float wide_cost = shared[width] + costs.traversal * area;
  const float leaf_cost = costs.of_leaf(area, count);
  const bool is_leaf = !is_root && count <= costs.max_leaf_size && leaf_cost <= wide_cost;
  const float alone_cost = is_leaf ? leaf_cost : wide_cost;

  ChosenSlots<width> chosen;
  const u32 part_alone = is_leaf ? width : left_parts[width];
  chosen.choice.set(1, false, part_alone);
  chosen.choice.set(width, is_leaf, left_parts[width]);
  chosen.costs.of[0] = alone_cost;
#pragma unroll
  for (u32 slots = 2; slots < width; ++slots) {
    const bool shares = !is_alone && shared[slots] < alone_cost;
    chosen.choice.set(slots, shares, shares ? left_parts[slots] : part_alone);
    chosen.costs.of[slots - 1] = shares ? shared[slots] : alone_cost;
  }
  chosen.costs.primitive_count = u16(smaller(count, SlotCosts<width>::many));
  chosen.costs.chain = is_alone ? u16(0) : u16(chain);
  return chosen;
}

}  // namespace copse::detail
