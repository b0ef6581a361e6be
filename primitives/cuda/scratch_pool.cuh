#pragma once

// Scratch for the warps and blocks of your own kernels, from pools of the right size. bench:
// copse-bench-primitives, scratch_pool/.
//
//   copse::ScratchPool pool = copse::cuda::scratch_pool_for_warps(context, kernel, 256, stack_bytes);
//
//   __global__ void kernel(copse::ScratchPoolView pool, ...) {
//     const copse::cuda::WarpScratch scratch(pool);  // released at the end of the scope
//     u32* stack = scratch.data<u32>();              // the same for all lanes

#include "primitives/core/device.h"
#include "primitives/cuda/persistent.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/scratch_pool.h"

namespace copse::cuda {

namespace detail {

/// Where to look for a slot first: the multiprocessor, and the place in it that the hardware gave the warp. This
/// is only a hint, because two warps can read the same place while one of them is being moved.
struct HardwarePlace {
  u32 multiprocessor, warp;
};
__device__ inline HardwarePlace hardware_place() {
  HardwarePlace place;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(place.multiprocessor));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(place.warp));
  return place;
}

__device__ inline u32 lane_in_any_block() {
  u32 lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__device__ inline bool is_first_thread() {
  return threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0;
}

}  // namespace detail

/// A slot of a pool that the calling warp holds for the life of the object. All of `lanes` construct and destroy
/// it together. None of them may leave the kernel before.
class WarpScratch {
 public:
  __device__ explicit WarpScratch(const ScratchPoolView& pool, u32 lanes = all_lanes)
      : pool_(pool), lanes_(lanes) {
    const u32 leader = u32(__ffs(int(lanes))) - 1;
    u32 slot = 0;
    if (detail::lane_in_any_block() == leader) {
      const detail::HardwarePlace place = detail::hardware_place();
      slot = pool.acquire(pool.place_of(place.multiprocessor, place.warp));
    }
    slot_ = __shfl_sync(lanes, slot, int(leader));
    // A shuffle does not order memory. After this, all lanes see what the leader acquired.
    __syncwarp(lanes);
  }
  __device__ ~WarpScratch() {
    // The writes of all lanes come before the release by the leader.
    __syncwarp(lanes_);
    if (detail::lane_in_any_block() == u32(__ffs(int(lanes_))) - 1) pool_.release(slot_);
  }
  WarpScratch(const WarpScratch&) = delete;
  WarpScratch& operator=(const WarpScratch&) = delete;

  /// Returns the slot's memory, the same for all lanes and not initialised. Lanes that pass data through it need
  /// __syncwarp.
  template <class T>
  __device__ T* data() const {
    return reinterpret_cast<T*>(pool_.memory(slot_));
  }
  __device__ u32 number() const { return slot_; }

 private:
  const ScratchPoolView pool_;
  const u32 lanes_;
  u32 slot_;
};

/// A slot of a pool that the calling block holds for the life of the object. All of its threads construct and
/// destroy it together.
class BlockScratch {
 public:
  __device__ explicit BlockScratch(const ScratchPoolView& pool) : pool_(pool) {
    __shared__ u32 shared_slot;
    if (detail::is_first_thread()) {
      const detail::HardwarePlace place = detail::hardware_place();
      const u32 warps = (blockDim.x * blockDim.y * blockDim.z + warp_size - 1) / warp_size;
      shared_slot = pool.acquire(pool.place_of(place.multiprocessor, place.warp / warps));
    }
    __syncthreads();
    slot_ = shared_slot;
    // The next slot of the block is written to the same word, so all threads must have read it.
    __syncthreads();
  }
  __device__ ~BlockScratch() {
    __syncthreads();
    if (detail::is_first_thread()) pool_.release(slot_);
  }
  BlockScratch(const BlockScratch&) = delete;
  BlockScratch& operator=(const BlockScratch&) = delete;

  /// Returns the slot's memory, the same for all threads and not initialised. Threads that pass data through it
  /// need __syncthreads.
  template <class T>
  __device__ T* data() const {
    return reinterpret_cast<T*>(pool_.memory(slot_));
  }
  __device__ u32 number() const { return slot_; }

 private:
  const ScratchPoolView pool_;
  u32 slot_;
};

/// Makes a pool with a slot for each block of `kernel` that the context's GPU can hold at once, so that
/// BlockScratch never waits.
///   threads, shared_bytes: per block, as in the launch
///   slot_bytes:            as in ScratchPool
/// Throws: Error invalid_argument if no block fits, Error out_of_memory.
template <class... Parameters>
ScratchPool scratch_pool_for_blocks(Context& context, void (*kernel)(Parameters...), u32 threads, u64 slot_bytes,
                                    u32 shared_bytes = 0) {
  const Executor& ex = context.cuda_executor();
  context.device().make_current();
  const u64 blocks = resident_blocks(ex, "scratch pool", kernel, threads, shared_bytes);
  return ScratchPool(context, blocks, slot_bytes, ex.multiprocessor_count);
}

/// Makes a pool with a slot for each warp instead, so that WarpScratch never waits.
template <class... Parameters>
ScratchPool scratch_pool_for_warps(Context& context, void (*kernel)(Parameters...), u32 threads, u64 slot_bytes,
                                   u32 shared_bytes = 0) {
  const Executor& ex = context.cuda_executor();
  context.device().make_current();
  const u64 blocks = resident_blocks(ex, "scratch pool", kernel, threads, shared_bytes);
  const u64 warps = divide_rounding_up(threads, warp_size);
  return ScratchPool(context, blocks * warps, slot_bytes, ex.multiprocessor_count);
}

// Deprecated names, until 0.2.
using WarpLease [[deprecated("use WarpScratch")]] = WarpScratch;
using BlockLease [[deprecated("use BlockScratch")]] = BlockScratch;
template <class... Parameters>
[[deprecated("use scratch_pool_for_blocks")]] ScratchPool lease_pool_for_blocks(Context& context,
                                                                                void (*kernel)(Parameters...),
                                                                                u32 threads, u64 slot_bytes,
                                                                                u32 shared_bytes = 0) {
  return scratch_pool_for_blocks(context, kernel, threads, slot_bytes, shared_bytes);
}
template <class... Parameters>
[[deprecated("use scratch_pool_for_warps")]] ScratchPool lease_pool_for_warps(Context& context,
                                                                              void (*kernel)(Parameters...),
                                                                              u32 threads, u64 slot_bytes,
                                                                              u32 shared_bytes = 0) {
  return scratch_pool_for_warps(context, kernel, threads, slot_bytes, shared_bytes);
}

}  // namespace copse::cuda
