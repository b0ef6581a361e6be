#pragma once

// Where the nodes of a left-balanced tree are in the sorted order of its points.
//
// Number the places of a full tree from left to right, from 1 on. The zeros at the end of a place's number tell the
// level of its node:
//
//   place   0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 1100 1101 1110 1111
//   level    3    2    3    1    3    2    3    0    3    2    3    1    3    2    3
//
// A left-balanced tree has all these places except the odd ones past 2 * last_count, where last_count nodes are on
// the last level. So the shape of a tree follows from its number of points.

#include "builders/points/kd_layout.h"
#include "primitives/core/bits.h"

namespace copse::detail {

/// The memory of a tree, as its builder writes it.
struct KdArrays {
  KdPoint* nodes;
  KdCounts* counts;
};

/// Points in the order of their places, from `begin` up to `end`.
struct KdRange {
  u32 begin, end;
  COPSE_HD u32 count() const { return end - begin; }
};

class KdShape {
 public:
  /// The shape of a tree of `count` points, at most max_kd_points.
  COPSE_HD explicit KdShape(u64 count)
      : count_(u32(count)),
        level_count_(32 - leading_zeros(count_)),
        last_count_(count_ == 0 ? 0 : count_ - ((1u << (level_count_ - 1)) - 1)) {}

  COPSE_HD u32 count() const { return count_; }
  COPSE_HD u32 level_count() const { return level_count_; }

  /// Returns the place of the point that is number `rank` in the order of places.
  COPSE_HD u32 place_of(u32 rank) const {
    const u32 number = rank + 1;
    return number <= 2 * last_count_ ? number : 2 * number - 2 * last_count_;
  }

  /// Returns how many points have a place up to this one.
  COPSE_HD u32 count_up_to(u32 place) const { return place <= 2 * last_count_ ? place : last_count_ + place / 2; }

  COPSE_HD u32 level_of(u32 place) const { return level_count_ - 1 - trailing_zeros(place); }

  /// Returns the node at a place.
  COPSE_HD u32 node_of(u32 place) const {
    const u32 zeros = trailing_zeros(place);
    return (1u << (level_count_ - 1 - zeros)) - 1 + (place >> (zeros + 1));
  }

  /// Returns the subtree of this level that a place is in, counted from the left. The level must not be below that
  /// of the place.
  COPSE_HD u32 subtree_of(u32 place, u32 level) const { return place >> (level_count_ - level); }

  /// Returns the place of the root of a subtree. The level must be below level_count().
  COPSE_HD u32 root_place(u32 level, u32 subtree) const { return (2 * subtree + 1) << (level_count_ - 1 - level); }

  /// Returns the number of the root of a subtree in the order of places.
  COPSE_HD u32 root_rank(u32 level, u32 subtree) const { return count_up_to(root_place(level, subtree)) - 1; }

  /// Returns the points of a subtree. The level may be level_count(): then there are none.
  COPSE_HD KdRange range(u32 level, u32 subtree) const {
    const u32 height = level_count_ - level;
    return {count_up_to(subtree << height), count_up_to((subtree + 1) << height) - 1};
  }

  /// Returns true if a node of this level exists.
  COPSE_HD bool has_node(u32 level, u32 subtree) const {
    return level < level_count_ && (1u << level) - 1 + subtree < count_;
  }

  /// Returns how many points the left subtrees of the first `subtree` subtrees of a level have together. The level
  /// is at least two above level_count().
  COPSE_HD u32 left_points_before(u32 level, u32 subtree) const {
    const u32 height = level_count_ - 1 - level;     // of the left subtrees
    const u32 slots = 1u << (height - 1);            // of each on the last level
    const u32 full = last_count_ >> height;          // subtrees whose last level is full
    const u32 rest = last_count_ & (2 * slots - 1);  // points on the last level of the next one
    const u32 last = subtree <= full ? subtree * slots : full * slots + smaller(rest, slots);
    return subtree * (slots - 1) + last;
  }

 private:
  COPSE_HD static u32 trailing_zeros(u32 value) { return 31 - leading_zeros(value & (0 - value)); }

  u32 count_, level_count_, last_count_;
};

}  // namespace copse::detail
