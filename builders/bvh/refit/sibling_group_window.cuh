#pragma once

// Climbs through the sibling groups of a block, such as the children of wide nodes. At first the slots of leaves
// are known. A group whose slots are all known is ready; a visit then makes the slot of its parent known. Where
// the nodes of a subtree stand side by side, nearly all groups become ready, but no step relies on it.
//
// Ready groups stand in a queue, so that lanes are full as long as there are enough groups. Once one warp is
// enough, it goes on alone, in steps that need no barrier of the block.

#include <type_traits>

#include "builders/bvh/wide_node.h"
#include "builders/geometry/quad.h"
#include "primitives/cuda/block.cuh"

namespace copse::cuda::detail {

///   width: slots per group
template <u32 width, u32 block_threads>
class SiblingGroupRows {
 public:
  static constexpr u32 threads = block_threads;
  static constexpr u32 row_slots = 64, slots = row_slots * threads / warp_size;
  static constexpr u32 row_groups = row_slots / width, groups = slots / width;

  /// A warp has a row of 64 slots. A lane has two of them: slot `lane` for k = 0, slot 32 + `lane` for k = 1.
  __device__ static u32 row_begin() { return threadIdx.x / warp_size * row_slots; }
  __device__ static u32 own_slot(u32 k) { return row_begin() + k * warp_size + lane_id(); }

  /// The first lanes of a row have one group each; the others get `groups`, which is none.
  __device__ static u32 own_group() { return lane_id() < row_groups ? row_begin() / width + lane_id() : groups; }

  __device__ void set(u32 slot, bool is_known) { known_[slot] = is_known ? 1 : 0; }

  /// Climbs from the known slots as far as it can; all threads of the block, after a barrier; ends with one.
  /// Visits each of the first `count` groups whose slots are all known or become known, and calls
  ///   put(above(group), visit(group))
  /// if the slot above the group is in the block.
  template <class Above, class Visit, class Put>
  __device__ void climb(u32 count, const Above& above, const Visit& visit, const Put& put) {
    list_ready(count);
    u32 begin = 0, end = 0;
    for (;;) {
      end = ready_count_;
      __syncthreads();
      if (end - begin <= warp_size) break;
      for (u32 k = begin + threadIdx.x; k < end; k += threads) finish(ready_[k], above, visit, put);
      __syncthreads();
      begin = end;
    }
    if (threadIdx.x < warp_size) {
      while (begin < end) {
        __syncwarp();
        if (begin + lane_id() < end) finish(ready_[begin + lane_id()], above, visit, put);
        __syncwarp();
        begin = smaller(begin + warp_size, end);
        end = ready_count_;
      }
    }
    __syncthreads();
  }

  /// After climb(), whether the group was visited.
  __device__ bool is_known(u32 group) const { return flags(group) == all_known; }

 private:
  using Flags = std::conditional_t<width == 4, u32, u64>;
  static constexpr Flags all_known = Flags(0x0101010101010101u);
  static_assert(sizeof(Flags) == width);

  __device__ Flags flags(u32 group) const { return reinterpret_cast<const Flags*>(known_)[group]; }

  /// Lists the groups that are ready, and counts the unknown slots of the others.
  __device__ void list_ready(u32 count) {
    static_assert(groups <= threads);
    if (threadIdx.x == 0) ready_count_ = 0;
    __syncthreads();
    const u32 group = threadIdx.x;
    const u32 unknown = group < count ? width - u32(__popcll(flags(group))) : width;
    if (group < groups) unknown_[group] = unknown;
    const u32 ready = __ballot_sync(all_lanes, unknown == 0);
    u32 first = 0;
    if (lane_id() == 0 && ready != 0) first = atomicAdd(&ready_count_, u32(__popc(ready)));
    first = shuffle_from(first, 0) + u32(__popc(ready & lower_lanes()));
    if (unknown == 0) ready_[first] = u16(group);
    __syncthreads();
  }

  template <class Above, class Visit, class Put>
  __device__ void finish(u32 group, const Above& above, const Visit& visit, const Put& put) {
    const auto found = visit(group);
    const u32 slot = above(group);
    if (slot >= slots) return;
    put(slot, found);
    known_[slot] = 1;
    const u32 parent = slot / width;
    if (atomicSub(&unknown_[parent], 1u) == 1) ready_[atomicAdd(&ready_count_, 1u)] = u16(parent);
  }

  alignas(8) u8 known_[slots];
  u32 unknown_[groups];  // slots of each group
  u16 ready_[groups];
  u32 ready_count_;
};

/// The boxes in the slots of neighbouring sibling groups, in shared memory.
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

  /// Puts the boxes of a row's leaves into their slots; all lanes of the warp. Lanes take primitives one after the
  /// other, wherever their leaves stand: so all lanes load, and neighbouring lanes share cache lines.
  ///   low, high: the children in the lane's slots
  ///   leaf:      Aabb(first, count), the box of a leaf or of a part of it
  template <class Leaf>
  __device__ void fit_leaves(const WideChild& low, const WideChild& high, const Leaf& leaf) {
    if (__any_sync(all_lanes, low.count > listed_per_leaf || high.count > listed_per_leaf)) {
      if (low.is_leaf()) put(Rows::own_slot(0), leaf(low.first, low.count));
      if (high.is_leaf()) put(Rows::own_slot(1), leaf(high.first, high.count));
      return;
    }
    const u32 count = list_primitives(low, high);
    const u8* const listed = listed_ + listed_per_leaf * Rows::row_begin();
    for (u32 begin = 0; begin < count; begin += warp_size) {
      const bool is_there = begin + lane_id() < count;
      const u32 entry = listed[is_there ? begin + lane_id() : 0];
      const u32 from_low = shuffle_from(low.first, entry % warp_size),
                from_high = shuffle_from(high.first, entry % warp_size);
      const u32 place = ((entry & warp_size) == 0 ? from_low : from_high) + entry / Rows::row_slots;
      Aabb box = Aabb::empty();
      if (is_there) box = leaf(place, 1);
      add(is_there, entry, box);
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
  static constexpr u32 listed_per_leaf = 3;

  /// Lists the primitives of a row's leaves, those of the low slots first; all lanes of the warp. Returns their
  /// number.
  ///   7        6 5      0
  ///   in the leaf   slot
  __device__ u32 list_primitives(const WideChild& low, const WideChild& high) {
    static_assert(Rows::row_slots == 64 && listed_per_leaf <= 4);
    const u32 own = high.count << 16 | low.count, through = warp_inclusive_scan(own, Plus{});
    const u32 total = shuffle_from(through, warp_size - 1), before = through - own;
    u8* const listed = listed_ + listed_per_leaf * Rows::row_begin();
#pragma unroll
    for (u32 k = 0; k < listed_per_leaf; ++k) {
      const u32 entry = k * Rows::row_slots + lane_id();
      if (k < low.count) listed[(before & 0xffffu) + k] = u8(entry);
      if (k < high.count) listed[(total & 0xffffu) + (before >> 16) + k] = u8(entry + warp_size);
    }
    __syncwarp();
    return (total & 0xffffu) + (total >> 16);
  }

  /// Adds the boxes of primitives to their slots, in the order in which they stand in their leaves; all lanes of
  /// the warp.
  __device__ void add(bool is_there, u32 entry, const Aabb& box) {
    const u32 slot = Rows::row_begin() + entry % Rows::row_slots;
#pragma unroll
    for (u32 k = 0; k < listed_per_leaf; ++k) {
      if (is_there && entry / Rows::row_slots == k) put(slot, k == 0 ? box : merge(box_in(slot), box));
      __syncwarp();
    }
  }

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
  u8 listed_[listed_per_leaf * Rows::slots];
  copse::detail::HalfNode high_[Rows::slots];
};

}  // namespace copse::cuda::detail
