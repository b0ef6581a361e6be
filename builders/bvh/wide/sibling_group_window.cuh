#pragma once

// The boxes in the slots of neighbouring sibling groups, in shared memory.

#include "builders/bvh/wide/sibling_group_rows.cuh"
#include "builders/bvh/wide_node.h"
#include "builders/geometry/quad.h"

namespace copse::cuda::detail {

template <u32 width, u32 block_threads>
class SiblingGroupWindow : public SiblingGroupRows<width, block_threads> {
  using Rows = SiblingGroupRows<width, block_threads>;

 public:
  /// Call it before put_link(), with a barrier of the block between them.
  __device__ void clear() {
    if (threadIdx.x < Rows::groups) parent_slots_[threadIdx.x] = none;
  }

  /// Takes the child in a slot.
  ///   below: the group in the window that an inner child is the parent of; `groups` or more if it is not there
  __device__ void put_link(u32 slot, const WideChild& child, u32 below) {
    this->set(slot, !child.is_inner());
    if (child.is_inner() && below < Rows::groups) parent_slots_[below] = u16(slot);
    if (child.is_nothing()) put(slot, Aabb::empty());
  }
  /// Takes the box of a child that is fitted already.
  __device__ void put_known(u32 slot, const Aabb& box) {
    this->set(slot, true);
    put(slot, box);
  }

  /// Puts the boxes of a row's leaves into their slots; all lanes of the warp. Lane k takes the k-th leaf of the
  /// row, wherever it stands: the time of a gather depends on the cache lines that it touches, and neighbouring
  /// leaves share lines.
  ///   low, high: the children in the lane's slots
  ///   fit:       Aabb(first, count), the box of a leaf
  template <class Fit>
  __device__ void fit_leaves(const WideChild& low, const WideChild& high, const Fit& fit) {
    const u32 low_leaves = __ballot_sync(all_lanes, low.is_leaf()),
              high_leaves = __ballot_sync(all_lanes, high.is_leaf());
    const u32 low_count = u32(__popc(low_leaves)), count = low_count + u32(__popc(high_leaves));
    u8* const leaves = leaves_ + Rows::row_begin();
    if (low.is_leaf()) leaves[__popc(low_leaves & lower_lanes())] = u8(lane_id());
    if (high.is_leaf()) leaves[low_count + u32(__popc(high_leaves & lower_lanes()))] = u8(warp_size + lane_id());
    __syncwarp();
    for (u32 begin = 0; begin < count; begin += warp_size) {
      const bool has_leaf = begin + lane_id() < count;
      const u32 slot = leaves[has_leaf ? begin + lane_id() : 0];
      const WideChild from_low = shuffle_from(low, slot % warp_size),
                      from_high = shuffle_from(high, slot % warp_size);
      const WideChild leaf = slot < warp_size ? from_low : from_high;
      if (has_leaf) put(Rows::row_begin() + slot, fit(leaf.first, leaf.count));
    }
  }

  /// Climbs from the leaves; all threads of the block, after a barrier. Returns whether the thread's group, of the
  /// first `count`, is fitted; box_of_own is then the box around it.
  __device__ bool join(u32 count, Aabb& box_of_own) {
    this->climb(
        count, [&](u32 group) { return u32(parent_slots_[group]); }, [&](u32 group) { return box_of(group); },
        [&](u32 slot, const Aabb& box) { put(slot, box); });
    const u32 own = Rows::own_group();
    if (own >= count || !this->is_known(own)) return false;
    box_of_own = box_of(own);
    return true;
  }

  __device__ Aabb box_in(u32 slot) const { return {low_[slot].corner, high_[slot].corner}; }

  /// Whether the parent of a group is in the window, and the group that the parent belongs to.
  __device__ bool has_parent(u32 group) const { return parent_slots_[group] != none; }
  __device__ u32 parent(u32 group) const { return parent_slots_[group] / width; }

  /// A kilobyte per warp: the low corners of its row, which are not needed any more.
  __device__ void* row_memory() { return low_ + Rows::row_begin(); }

 private:
  static constexpr u16 none = 0xffff;

  __device__ void put(u32 slot, const Aabb& box) {
    low_[slot] = {box.lo, 0};
    high_[slot] = {box.hi, 0};
  }
  __device__ Aabb box_of(u32 group) const {
    Aabb box = box_in(group * width);
#pragma unroll
    for (u32 k = 1; k < width; ++k) box = merge(box, box_in(group * width + k));
    return box;
  }

  copse::detail::HalfNode low_[Rows::slots];
  u16 parent_slots_[Rows::groups];
  u8 leaves_[Rows::slots];
  copse::detail::HalfNode high_[Rows::slots];
};

}  // namespace copse::cuda::detail
