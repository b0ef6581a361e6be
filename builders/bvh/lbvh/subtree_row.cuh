#pragma once

// Joins neighbouring subtrees of an LBVH in the registers of a warp, all at once. The range of a node extends from
// its split to both sides, over all splits with higher deltas (Karras, "Maximizing Parallelism in the Construction
// of BVHs, Octrees, and k-d Trees", HPG 2012, section 3, finds the same range by the keys). Each lane takes the
// split behind its subtree. It finds the range of the split's node by one vote for each bit of delta, and then
// gathers the box of the range from boxes over 1, 2, 4, 8 and 16 lanes. So no lane waits for another one, whatever
// the depth of the tree.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/build/join_subtrees.cuh"
#include "builders/bvh/morton/leaf_hierarchy.h"
#include "primitives/core/bits.h"

namespace copse::cuda::detail {

using copse::detail::BvhArrays;
using copse::detail::LeafRange;
using copse::detail::SubtreePlace;

/// Half of a BvhNode: a corner of its box, and `first` or `count`.
struct alignas(16) HalfNode {
  vec3 corner;
  u32 word;
};

struct ShuffleAcross {
  __device__ u32 operator()(u32 word) const { return __shfl_xor_sync(all_lanes, word, 1); }
};

/// A subtree in a lane. It covers the subtrees that the lanes `first_lane` to `last_lane` began with.
struct RowSubtree {
  Aabb box;
  u32 delta_right;
  u32 first_lane, last_lane;

  __device__ static RowSubtree make(const Aabb& box, u32 delta_right) {
    return {box, delta_right, lane_id(), lane_id()};
  }
};

/// Stores one node per lane. All lanes of a warp call it. Two neighbouring lanes together store first the node of
/// the even lane, then that of the odd lane, half a node each, so that every store fills whole cache sectors.
///   place: where the node of this lane goes; invalid_id for none
__device__ inline void store_by_pairs(BvhNode* nodes, const BvhNode& node, u32 place) {
  const bool is_odd = lane_id() % 2 != 0;
  const HalfNode lo{node.lo, node.first}, hi{node.hi, node.count};
  HalfNode given = hi;
  if (is_odd) given = lo;
  const HalfNode others = shuffle_words(given, ShuffleAcross{});
  const u32 others_place = ShuffleAcross{}(place);
  const u32 even_place = is_odd ? others_place : place, odd_place = is_odd ? place : others_place;
  HalfNode of_even = lo, of_odd = others;
  if (is_odd) of_even = others, of_odd = hi;
  auto* const halves = reinterpret_cast<HalfNode*>(nodes) + (is_odd ? 1 : 0);
  if (even_place != invalid_id) halves[2 * u64{even_place}] = of_even;
  if (odd_place != invalid_id) halves[2 * u64{odd_place}] = of_odd;
}

/// Stores nodes at their places, and their parents unless bvh.parents is null.
struct StoreSubtree {
  BvhArrays bvh;

  /// Stores one inner node per lane, which splits behind leaf `split`; none if `place` is invalid_id. All lanes of
  /// a warp call it.
  __device__ void inner(const Aabb& box, u32 split, u32 place) const {
    if (place != invalid_id && bvh.parents != nullptr) bvh.parents[split] = place;
    store_by_pairs(bvh.nodes, BvhNode::inner(box, 2 * split + 1), place);
  }

  /// Stores one inner node.
  __device__ void inner_alone(const Aabb& box, u32 split, u32 place) const {
    if (bvh.parents != nullptr) bvh.parents[split] = place;
    bvh.nodes[place] = BvhNode::inner(box, 2 * split + 1);
  }
};

/// The lanes under the node that splits behind this lane: those between the nearest splits with a lower or equal
/// delta.
struct LaneRange {
  i32 split_left;   // the lane before that split; -1 if it is the row's left end
  u32 split_right;  // the lane before that split, the last of the node; warp_size if there is none

  /// delta: below 128; 0 in the lanes past the row
  __device__ explicit LaneRange(u32 delta) {
    // Find the lanes with a lower delta and those with the same, by one vote for each bit, the highest first.
    u32 less = 0, same = all_lanes;
#pragma unroll
    for (u32 bit = delta_bits; bit-- > 0;) {
      const bool is_set = (delta >> bit & 1) != 0;
      const u32 set = __ballot_sync(all_lanes, is_set);
      less |= is_set ? same & ~set : 0;
      same &= is_set ? set : ~set;
    }
    const u32 ends = less | same, before = ends & lower_lanes(),
              after = ends & ~lower_lanes() & ~(1u << lane_id());
    split_left = i32(warp_size) - 1 - i32(leading_zeros(before));
    split_right = after == 0 ? warp_size : u32(__ffs(int(after))) - 1;
  }
  __device__ u32 size() const {
    return u32(i32(split_right) - split_left);
  }

 private:
  static constexpr u32 delta_bits = 7;
};

/// Makes every node whose whole range lies in the lowest `count` lanes. All lanes of a warp call it. Returns the
/// lanes that hold the remaining subtrees, in order: those whose parent reaches beyond the row or the limit.
///   leaves: first(lane) and last(lane), the first and the last leaf under the subtree that the lane began with
///   join_limit: makes only nodes over fewer lanes; a power of two
template <u32 join_limit = 2 * warp_size, class Leaves>
__device__ u32 join_row(RowSubtree& mine, u32 count, u32 delta_left_of_row, const Leaves& leaves,
                        const StoreSubtree& store) {
  const u32 delta = lane_id() < count ? mine.delta_right : 0;
  const LaneRange range(delta);
  const bool joins = lane_id() + 1 < count && range.split_right < count && range.size() < join_limit &&
                     (range.split_left >= 0 || delta_left_of_row < delta);
  const u32 joining = __ballot_sync(all_lanes, joins);

  // A subtree remains if its parent is not made here.
  u32 before = __shfl_up_sync(all_lanes, delta, 1);
  if (lane_id() == 0) before = delta_left_of_row;
  const u32 own_parent = before > delta ? lane_id() - 1 : lane_id();
  const bool is_left = lane_id() < count && (own_parent >= warp_size || (joining >> own_parent & 1) == 0);
  if (joining == 0) return __ballot_sync(all_lanes, is_left);

  const Aabb box = box_of_lanes<join_limit>(mine.box, range.split_right, joins ? range.size() : 0);
  u32 delta_left = __shfl_sync(all_lanes, delta, range.split_left);
  if (range.split_left < 0) delta_left = delta_left_of_row;
  const u32 delta_right = __shfl_sync(all_lanes, delta, int(range.split_right));
  const u32 parent = delta_left > delta_right ? u32(range.split_left) : range.split_right;
  const bool joined_is_left = joins && (parent >= warp_size || (joining >> parent & 1) == 0);
  u32 split = 0, place = invalid_id;
  const u32 first_lane = u32(range.split_left + 1);
  if (joins) {
    split = leaves.last(lane_id());
    place = SubtreePlace({leaves.first(first_lane), leaves.last(range.split_right)}, delta_left, delta_right).node;
  }
  store.inner(box, split, place);
  if (joined_is_left) mine = {box, delta_right, first_lane, range.split_right};
  return __ballot_sync(all_lanes, is_left || joined_is_left);
}

}  // namespace copse::cuda::detail
