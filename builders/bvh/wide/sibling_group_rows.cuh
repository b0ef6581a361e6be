#pragma once

// Sibling groups of a block, such as the children of wide nodes, and the climb through them. The slots of leaves
// are known first. A group whose slots are all known is ready; it makes the slot of its parent known. Where the
// nodes of a subtree stand side by side, nearly all groups become ready; nothing relies on it.
//
// Ready groups stand in a queue, so that lanes are full as long as there are enough groups. Once one warp is
// enough, it goes on alone, in steps that need no barrier of the block.

#include <type_traits>

#include "primitives/cuda/warp.cuh"

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

}  // namespace copse::cuda::detail
