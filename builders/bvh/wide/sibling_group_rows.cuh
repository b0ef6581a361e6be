#pragma once

// Families of siblings in a block, such as the children of wide nodes, and the way up through them: what stands in
// a slot is known first of leaves, then of parents all of whose children are known. Where nodes of a subtree stand
// side by side, that is nearly all of them; nothing relies on it.
//
// Families that are ready stand in a queue, so that lanes are full as long as there are enough of them. As soon as
// one warp is enough, it goes on alone, by steps that need no barrier of the block.

#include <type_traits>

#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

/// width: slots of a family
template <u32 width, u32 block_threads>
class FamilyRows {
 public:
  static constexpr u32 threads = block_threads;
  static constexpr u32 row_slots = 64, slots = row_slots * threads / warp_size;
  static constexpr u32 row_families = row_slots / width, families = slots / width;

  /// A warp has a row of slots, a lane two of them: the row's `lane` for k = 0, and 32 + `lane` for k = 1.
  __device__ static u32 row_begin() { return threadIdx.x / warp_size * row_slots; }
  __device__ static u32 own_slot(u32 k) { return row_begin() + k * warp_size + lane_id(); }

  /// The family of a lane, of the row's first lanes; of others, one that is none.
  __device__ static u32 own_family() {
    return lane_id() < row_families ? row_begin() / width + lane_id() : families;
  }

  __device__ void set(u32 slot, bool is_known) { known_[slot] = is_known ? 1 : 0; }

  /// Goes up from what is known, as far as it leads; all threads of the block, after a barrier; ends with one. For
  /// each of the first `count` families all of whose slots are known or become so, puts
  ///   put(above(family), visit(family))
  /// where the slot above it is in the block; else visits it alone.
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

  /// After climb(), whether the family was visited.
  __device__ bool is_known(u32 family) const { return flags(family) == all_known; }

 private:
  using Flags = std::conditional_t<width == 4, u32, u64>;
  static constexpr Flags all_known = Flags(0x0101010101010101u);
  static_assert(sizeof(Flags) == width);

  __device__ Flags flags(u32 family) const { return reinterpret_cast<const Flags*>(known_)[family]; }

  /// Lists the families all of whose slots are known, and counts the other slots of the others.
  __device__ void list_ready(u32 count) {
    static_assert(families <= threads);
    if (threadIdx.x == 0) ready_count_ = 0;
    __syncthreads();
    const u32 family = threadIdx.x;
    const u32 unknown = family < count ? width - u32(__popcll(flags(family))) : width;
    if (family < families) unknown_[family] = unknown;
    const u32 ready = __ballot_sync(all_lanes, unknown == 0);
    u32 first = 0;
    if (lane_id() == 0 && ready != 0) first = atomicAdd(&ready_count_, u32(__popc(ready)));
    first = shuffle_from(first, 0) + u32(__popc(ready & lower_lanes()));
    if (unknown == 0) ready_[first] = u16(family);
    __syncthreads();
  }

  template <class Above, class Visit, class Put>
  __device__ void finish(u32 family, const Above& above, const Visit& visit, const Put& put) {
    const auto found = visit(family);
    const u32 slot = above(family);
    if (slot >= slots) return;
    put(slot, found);
    known_[slot] = 1;
    const u32 parent = slot / width;
    if (atomicSub(&unknown_[parent], 1u) == 1) ready_[atomicAdd(&ready_count_, 1u)] = u16(parent);
  }

  alignas(8) u8 known_[slots];
  u32 unknown_[families];  // slots of each
  u16 ready_[families];
  u32 ready_count_;
};

}  // namespace copse::cuda::detail
