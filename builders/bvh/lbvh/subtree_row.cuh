#pragma once

// Neighbouring subtrees of an LBVH in the lanes of a warp: those that belong together join, all at once and
// without memory. The node that splits at a gap reaches to both sides over all gaps that are closer (Karras,
// "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012, section 3, finds the
// same range by the keys): each lane finds the range of the gap behind its subtree by a vote for each bit of
// closeness, and then gathers the box from those over 1, 2, 4, 8 and 16 lanes. So no lane waits for another one,
// however deep the tree is.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/lbvh/lane_boxes.cuh"
#include "builders/bvh/lbvh/subtree_place.h"
#include "primitives/core/bits.h"

namespace copse::cuda::detail {

using copse::detail::BvhArrays;
using copse::detail::LeafRange;
using copse::detail::SubtreePlace;

/// Half a node.
struct alignas(16) HalfNode {
  vec3 corner;
  u32 word;
};

struct ShuffleAcross {
  __device__ u32 operator()(u32 word) const { return __shfl_xor_sync(all_lanes, word, 1); }
};

/// A subtree in a lane: of those that the row began with, it holds the ones from `first_lane` to `last_lane`.
struct RowSubtree {
  Aabb box;
  u32 closeness_after;
  u32 first_lane, last_lane;

  __device__ static RowSubtree make(const Aabb& box, u32 closeness_after) {
    return {box, closeness_after, lane_id(), lane_id()};
  }
};

/// Stores the nodes of a warp's lanes; all lanes. Two neighbouring lanes store the halves of one's node and then
/// of the other's: every store fills whole sectors of the cache.
///   place: no node of this lane where it is invalid_id
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

/// Stores nodes where they belong; their parents too, unless bvh.parents is null.
struct StoreSubtree {
  BvhArrays bvh;

  /// The inner nodes of a warp's lanes, which split behind leaf `split`; all lanes. None where place is
  /// invalid_id.
  __device__ void inner(const Aabb& box, u32 split, u32 place) const {
    if (place != invalid_id && bvh.parents != nullptr) bvh.parents[split] = place;
    store_by_pairs(bvh.nodes, BvhNode::inner(box, 2 * split + 1), place);
  }

  /// One inner node.
  __device__ void inner_alone(const Aabb& box, u32 split, u32 place) const {
    if (bvh.parents != nullptr) bvh.parents[split] = place;
    bvh.nodes[place] = BvhNode::inner(box, 2 * split + 1);
  }
};

/// The lanes under the node that splits behind this lane: those between the nearest gaps that are less close, or
/// as close.
struct LaneRange {
  i32 gap_before;  // the lane before; -1 where the row begins
  u32 gap_after;   // the last lane; the row's size where there is no such gap

  /// closeness: below 128; 0 in the lanes past the row
  __device__ explicit LaneRange(u32 closeness) {
    // The lanes with what is less, and those with the same, by one vote for each bit from the highest on.
    u32 less = 0, same = all_lanes;
#pragma unroll
    for (u32 bit = closeness_bits; bit-- > 0;) {
      const bool is_set = (closeness >> bit & 1) != 0;
      const u32 set = __ballot_sync(all_lanes, is_set);
      less |= is_set ? same & ~set : 0;
      same &= is_set ? set : ~set;
    }
    const u32 ends = less | same, before = ends & lower_lanes(),
              after = ends & ~lower_lanes() & ~(1u << lane_id());
    gap_before = i32(warp_size) - 1 - i32(leading_zeros(before));
    gap_after = after == 0 ? warp_size : u32(__ffs(int(after))) - 1;
  }
  __device__ u32 size() const {
    return u32(i32(gap_after) - gap_before);
  }

 private:
  static constexpr u32 closeness_bits = 7;
};

/// Joins the subtrees of the lowest `count` lanes as far as they belong together; all lanes of a warp. Returns the
/// lanes that hold what is left, in the order of the subtrees: children of nodes which reach beyond the row.
///   leaves: first(lane) and last(lane), the first and the last leaf under the subtree that the lane began with
///   join_limit: nodes over as many lanes are not made, or over more; a power of two
template <u32 join_limit = 2 * warp_size, class Leaves>
__device__ u32 join_row(RowSubtree& mine, u32 count, u32 closeness_before_row, const Leaves& leaves,
                        const StoreSubtree& store) {
  const u32 closeness = lane_id() < count ? mine.closeness_after : 0;
  const LaneRange range(closeness);
  const bool joins = lane_id() + 1 < count && range.gap_after < count && range.size() < join_limit &&
                     (range.gap_before >= 0 || closeness_before_row < closeness);
  const u32 joining = __ballot_sync(all_lanes, joins);

  // Whose parent splits at a gap where nothing joins, that is left.
  u32 before = __shfl_up_sync(all_lanes, closeness, 1);
  if (lane_id() == 0) before = closeness_before_row;
  const u32 own_parent = before > closeness ? lane_id() - 1 : lane_id();
  const bool is_left = lane_id() < count && (own_parent >= warp_size || (joining >> own_parent & 1) == 0);
  if (joining == 0) return __ballot_sync(all_lanes, is_left);

  const Aabb box = box_of_lanes<join_limit>(mine.box, range.gap_after, joins ? range.size() : 0);
  u32 closeness_before = __shfl_sync(all_lanes, closeness, range.gap_before);
  if (range.gap_before < 0) closeness_before = closeness_before_row;
  const u32 closeness_after = __shfl_sync(all_lanes, closeness, int(range.gap_after));
  const u32 parent = closeness_before > closeness_after ? u32(range.gap_before) : range.gap_after;
  const bool joined_is_left = joins && (parent >= warp_size || (joining >> parent & 1) == 0);
  u32 split = 0, place = invalid_id;
  const u32 first_lane = u32(range.gap_before + 1);
  if (joins) {
    split = leaves.last(lane_id());
    place =
        SubtreePlace({leaves.first(first_lane), leaves.last(range.gap_after)}, closeness_before, closeness_after)
            .node;
  }
  store.inner(box, split, place);
  if (joined_is_left) mine = {box, closeness_after, first_lane, range.gap_after};
  return __ballot_sync(all_lanes, is_left || joined_is_left);
}

}  // namespace copse::cuda::detail
