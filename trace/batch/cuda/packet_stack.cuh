#pragma once

// What a packet of rays has put off, an entry a lane, in the lanes' registers: an entry is read by a shuffle, and
// one vote tells the latest that any ray still enters.

#include "builders/bvh/wide_node.h"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

/// All lanes of a warp call all members together, with the same arguments.
class PacketStack {
 public:
  __device__ bool is_full() const { return depth_ == warp_size; }

  /// Only where it is not full. `entry`: no ray enters the child before it.
  [[gnu::always_inline]] __device__ void push(const WideChild& child, i32 entry) {
    if (lane_id() == depth_) {
      child_ = child;
      entry_ = entry;
    }
    ++depth_;
  }

  /// Drops the entries after `last`, down to one that is not, which it takes; false where there is none.
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
