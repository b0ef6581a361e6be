#pragma once

// Neighbouring subtrees of an LBVH in the lanes of a warp: those that belong together join, all at once and
// without memory. The node that splits at a gap reaches to both sides over all gaps that are closer (Karras,
// "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012, section 3, finds the
// same range by the keys): each lane searches the range of the gap behind its subtree among minima over 1, 2, 4, 8
// and 16 gaps, and then gathers the box from those over as many lanes. So no lane waits for another one, however
// deep the tree is.

#include "builders/bvh/bvh_arrays.h"
#include "builders/bvh/cuda/lane_boxes.cuh"
#include "builders/bvh/subtree_place.h"
#include "primitives/core/bits.h"

namespace copse::cuda::detail {

using copse::detail::BvhArrays;
using copse::detail::LeafRange;
using copse::detail::SubtreePlace;

/// A subtree in a lane: of those that the row began with, it holds the ones from `first_lane` to `last_lane`.
struct RowSubtree {
  Aabb box;
  u32 closeness_after;
  u32 first_lane, last_lane;

  __device__ static RowSubtree make(const Aabb& box, u32 closeness_after) {
    return {box, closeness_after, lane_id(), lane_id()};
  }
};

/// Stores nodes where they belong.
struct StoreSubtree {
  BvhArrays bvh;

  __device__ void leaf(const BvhNode& node, u32 leaf, u32 closeness_before, u32 closeness_after) const {
    bvh.nodes[SubtreePlace({leaf, leaf}, closeness_before, closeness_after).node] = node;
  }
  /// The node over `range`, which splits behind leaf `split`.
  __device__ void inner(const Aabb& box, const LeafRange& range, u32 split, u32 closeness_before,
                        u32 closeness_after) const {
    const SubtreePlace place(range, closeness_before, closeness_after);
    bvh.nodes[place.node] = BvhNode::inner(box, 2 * split + 1);
    bvh.parents[split] = place.node;
  }
};

/// The lanes under the node that splits behind this lane: those between the nearest gaps that are less close.
struct LaneRange {
  i32 gap_before;  // the lane before; -1 where the row begins
  u32 gap_after;   // the last lane; the row's size where there is no such gap

  __device__ LaneRange(u32 closeness, u32 count) : gap_before(i32(lane_id()) - 1), gap_after(lane_id() + 1) {
    constexpr u32 steps = 5;
    u32 lowest[steps];  // of 2^k gaps, this lane's the last
    lowest[0] = closeness;
#pragma unroll
    for (u32 k = 1; k < steps; ++k) {
      lowest[k] = smaller(lowest[k - 1], __shfl_up_sync(all_lanes, lowest[k - 1], 1u << (k - 1)));
    }
#pragma unroll
    for (u32 k = steps; k-- > 0;) {
      const u32 size = 1u << k;
      const u32 lowest_before = __shfl_sync(all_lanes, lowest[k], gap_before);
      const u32 lowest_after = __shfl_sync(all_lanes, lowest[k], int(gap_after + size - 1));
      if (gap_before + 1 >= i32(size) && lowest_before > closeness) gap_before -= i32(size);
      if (gap_after + size <= count && lowest_after > closeness) gap_after += size;
    }
  }
  __device__ u32 size() const {
    return u32(i32(gap_after) - gap_before);
  }
};

/// Joins the subtrees of the lowest `count` lanes as far as they belong together; all lanes of a warp. Returns the
/// lanes that hold what is left, in the order of the subtrees: children of nodes which reach beyond the row.
///   leaves: first(lane) and last(lane), the first and the last leaf under the subtree that the lane began with
template <class Leaves>
__device__ u32 join_row(RowSubtree& mine, u32 count, u32 closeness_before_row, const Leaves& leaves,
                        const StoreSubtree& store) {
  const u32 closeness = lane_id() < count ? mine.closeness_after : 0;
  const LaneRange range(closeness, count);
  const bool joins = lane_id() + 1 < count && range.gap_after < count &&
                     (range.gap_before >= 0 || closeness_before_row < closeness);
  const u32 joining = __ballot_sync(all_lanes, joins);

  // Whose parent splits at a gap where nothing joins, that is left.
  u32 before = __shfl_up_sync(all_lanes, closeness, 1);
  if (lane_id() == 0) before = closeness_before_row;
  const u32 own_parent = before > closeness ? lane_id() - 1 : lane_id();
  const bool is_left = lane_id() < count && (own_parent >= warp_size || (joining >> own_parent & 1) == 0);
  if (joining == 0) return __ballot_sync(all_lanes, is_left);

  const Aabb box = box_of_lanes(mine.box, range.gap_after, joins ? range.size() : 0);
  u32 closeness_before = __shfl_sync(all_lanes, closeness, range.gap_before);
  if (range.gap_before < 0) closeness_before = closeness_before_row;
  const u32 closeness_after = __shfl_sync(all_lanes, closeness, int(range.gap_after));
  const u32 parent = closeness_before > closeness_after ? u32(range.gap_before) : range.gap_after;
  const bool joined_is_left = joins && (parent >= warp_size || (joining >> parent & 1) == 0);
  if (joins) {
    const u32 first_lane = u32(range.gap_before + 1);
    store.inner(box, {leaves.first(first_lane), leaves.last(range.gap_after)}, leaves.last(lane_id()),
                closeness_before, closeness_after);
    if (joined_is_left) mine = {box, closeness_after, first_lane, range.gap_after};
  }
  return __ballot_sync(all_lanes, is_left || joined_is_left);
}

}  // namespace copse::cuda::detail
