#pragma once

// How the binary tree collapses into wide nodes: which of its nodes become wide ones or leaves, and which only
// hand the slots of a wide node above them on to their children.
//
// From the leaves up, every node learns the least SAH cost of what is below it for each number of slots that a
// wide node may give it: with one it is a wide node itself or a leaf, with more it may share them out among its
// two children. So every wide node gets the children that are best for the whole tree, and no slot is lost without
// need. Rules that decide at once, on the way up or down, cost 4 to 35 % more; see
// docs/decisions/0010-all-numbers-of-slots-in-one-word.md.
//
// Source: Ylitie, Karras, Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs",
// HPG 2017, section 4.1. Where we differ: a node's choices for all numbers of slots are one word, from which
// collapsed_tree.h tells without a pass from the root down what became of a node.

#include "builders/bvh/bvh.h"
#include "builders/bvh/reinsert/area_scale.h"
#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"

namespace copse::detail {

/// What a binary node does with its slots. Four bits for each number of slots, 1 to width:
///
///   slots < width   o lll   o: shares them out, to its left child 1 + lll of them;
///                           else it takes one slot for itself, as a wide node with 1 + lll of its own for its
///                           left child, or as a leaf, where lll is width - 1
///   slots = width   a lll   a: what takes one slot is a leaf; else a wide node, 1 + lll to its left child
struct SlotChoice {
  u32 bits = 0;

  COPSE_HD bool shares(u32 slots) const { return (bits >> 4 * (slots - 1) & 8u) != 0; }
  template <u32 width>
  COPSE_HD bool is_leaf_alone() const {
    return (bits >> 4 * (width - 1) & 8u) != 0;
  }
  /// The left child's part of `slots`, where it shares them, or of a wide node's `width`.
  COPSE_HD u32 left_part(u32 slots) const { return 1 + (bits >> 4 * (slots - 1) & 7u); }

  /// For every number of slots that the node may have, four bits: one less than its left or right child's part of
  /// them, or of the width, where it is a wide node; width - 1 where it is a leaf.
  ///
  ///   slots      8 7 6 5 4 3 2 1
  ///   less two   . 5 4 3 2 1 0 .    less the left part's four bits: the right part's, where the slots are shared
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

/// The least cost of a subtree for 1 to width - 1 slots, never rising.
template <u32 width>
struct alignas(16) SlotCosts {
  float of[width - 1];
  u16 primitive_count;  // below it, or `many`
  u16 chain;            // most nodes from it down that may hand slots on

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

/// No way up passes more nodes that hand slots on: then a node takes one slot whatever it is given. It bounds the
/// walks of collapsed_tree.h in trees like chains, and is never met in others.
inline constexpr u32 max_chain = 64;

template <u32 width>
struct ChosenSlots {
  SlotCosts<width> costs;
  SlotChoice choice;
};

/// The best that an inner node of area `area` can do above children of these costs. The root must be a wide node.
template <u32 width>
COPSE_HD ChosenSlots<width> choose_slots(const CollapseCosts& costs, const SlotCosts<width>& left,
                                         const SlotCosts<width>& right, float area, bool is_root) {
  // Share out every number of slots in the best way; of equal ones, with the fewest to the left.
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

  // Alone it is a wide node, or a leaf where that is cheaper.
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
