#pragma once

// The leaves of a tree in Morton order, and the ranges of leaves that nodes of an LBVH cover.
//
// A subtree of the LBVH of at most max_leaf_size primitives becomes one leaf if its parent has more. Its range is
// found from the deltas around it, before any node is built (morton_order.inl).

#include <type_traits>

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/geometry/primitive_bounds.h"
#include "primitives/core/bits.h"

namespace copse::detail {

/// Leaves of one primitive each.
struct SingleLeaves {
  static constexpr bool are_primitives = true;
  COPSE_HD u32 first(u32 leaf) const { return leaf; }
};

/// Leaf i holds slots firsts[i] to firsts[i + 1] - 1.
struct GroupedLeaves {
  static constexpr bool are_primitives = false;
  const u32* firsts;
  u32 max_size;
  COPSE_HD u32 first(u32 leaf) const { return firsts[leaf]; }
};

/// The same for many trees side by side (builders/bvh/forest.h). The delta behind the last leaf of a tree, and
/// behind a slot without a leaf, is `behind_tree`.
struct ForestLeaves {
  static constexpr bool are_primitives = true;
  static constexpr u8 behind_tree = 255;
  COPSE_HD u32 first(u32 leaf) const { return leaf; }
};

/// The same for the ranges of a slice of a larger tree (builders/bvh/hploc/hploc_slice.h).
struct SliceLeaves : ForestLeaves {};

/// Returns leaf number `leaf` as a node.
template <class Boxes, class Leaves>
COPSE_HD BvhNode make_leaf(const Boxes& boxes, const Leaves& leaves, const u32* primitive_ids, u32 leaf) {
  const u32 first = leaves.first(leaf), count = leaves.first(leaf + 1) - first;
  return BvhNode::leaf(box_of_slots(boxes, primitive_ids, first, count), first, count);
}

/// Leaves `first` to `last`, both included.
struct LeafRange {
  u32 first;
  u32 last;

  COPSE_HD u32 size() const { return last - first + 1; }
};

/// The deltas at the ends of ranges of leaves, from which the whole hierarchy follows. The parent of a range
/// splits at the end with the higher delta (Apetrei, "Fast and Simple Agglomerative LBVH Construction", CGVC
/// 2014).
///
/// These deltas are one more than the stored ones, so that 0 can stand for "no leaf is there", where Karras has
/// -1. The two deltas at the ends of a range differ, except for the range of all leaves, which has 0 at both.
template <class Leaves>
struct LeafHierarchy {
  static constexpr bool are_many = std::is_base_of_v<ForestLeaves, Leaves>;

  Leaves leaves;
  const u8* deltas;  // between slots, see MortonOrder
  u32 leaf_count;

  /// The delta between a leaf and the leaf before it, and between a leaf and the leaf after it. Behind the last
  /// leaf of a tree in a forest, the sum wraps to 0.
  COPSE_HD u32 delta_left(u32 leaf) const {
    if (leaf == 0) return 0;
    const u32 delta = 1 + deltas[leaves.first(leaf) - 1];
    if constexpr (are_many) return u8(delta);
    return delta;
  }
  COPSE_HD u32 delta_right(u32 leaf) const { return leaf + 1 == leaf_count ? 0 : delta_left(leaf + 1); }

  /// Whether the range has all leaves of its tree.
  COPSE_HD bool is_whole(const LeafRange& range) const {
    if constexpr (are_many) return delta_left(range.first) == 0 && delta_right(range.last) == 0;
    return range.size() == leaf_count;
  }
};

/// Where the node over a range of leaves stands in an LBVH: the children of split s, which lies behind leaf s,
/// stand at 2s + 1 and 2s + 2.
///   delta_left, delta_right: at the ends of the range, see LeafHierarchy
struct SubtreePlace {
  u32 node;

  COPSE_HD SubtreePlace(const LeafRange& range, u32 delta_left, u32 delta_right)
      : node(delta_left > delta_right   ? 2 * range.first
             : delta_left < delta_right ? 2 * range.last + 1
                                        : 0) {}

  /// Not for the root.
  COPSE_HD bool is_right_child() const { return (node & 1) == 0; }
};

}  // namespace copse::detail
