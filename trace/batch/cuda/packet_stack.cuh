#pragma once

// The stack of a packet of rays, in the registers of a warp: each lane holds one entry. A shuffle reads an entry.
// One vote finds the latest entry that any ray still enters.

#include "builders/bvh/wide_node.h"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

/// All lanes of a warp call all members together, with the same arguments.
class PacketStack {
 public:
  __device__ bool is_full() const { return depth_ == warp_size; }

  /// Call it only if the stack is not full. `entry`: no ray enters the child before this time.
  [[gnu::always_inline]] __device__ void push(const WideChild& child, i32 entry) {
    if (lane_id() == depth_) {
      child_ = child;
      entry_ = entry;
    }
    ++depth_;
  }

  /// True if there is room for `count` more entries.
  __device__ bool has_room(u32 count) const { return depth_ + count <= warp_size; }

  /// Which of `count` new entries this lane would hold: 0 for the one on top. If the result is `count` or more, it
  /// holds none of them.
  [[gnu::always_inline]] __device__ u32 order_of_lane(u32 count) const { return depth_ + count - 1 - lane_id(); }

  /// Pushes `count` entries. Each lane passes the entry number order_of_lane(count). Call it only if there is room.
  [[gnu::always_inline]] __device__ void push(u32 count, const WideChild& child, i32 entry) {
    const bool holds = order_of_lane(count) < count;
    child_.first = holds ? child.first : child_.first;
    child_.count = holds ? child.count : child_.count;
    entry_ = holds ? entry : entry_;
    depth_ += count;
  }

  /// Takes the latest entry that is entered at or before `last`, and drops those above it. False if there is none.
  [[gnu::always_inline]] __device__ bool pop(i32 last, WideChild& child) {
    const u32 entered = __ballot_sync(all_lanes, lane_id() < depth_ && entry_ <= last);
    if (entered == 0) return false;
    depth_ = 31 - leading_zeros(entered);
    child = {shuffle_from(child_.first, depth_), shuffle_from(child_.count, depth_)};
    return true;
  }

 private:
  WideChild child_{};  // of the entry that this lane holds
  i32 entry_ = 0;
  u32 depth_ = 0;
};

}  // namespace copse::cuda::detail
