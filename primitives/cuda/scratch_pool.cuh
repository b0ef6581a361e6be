#pragma once

// Leases for the warps and blocks of your own kernels, and pools sized for them. bench: copse-bench-primitives,
// lease/.
//
//   copse::LeasePool pool = copse::cuda::lease_pool_for_warps(context, kernel, 256, stack_bytes);
//
//   __global__ void kernel(copse::LeasePoolView pool, ...) {
//     const copse::cuda::WarpLease lease(pool);  // given back at the end of the scope
//     u32* stack = lease.data<u32>();            // the same for all lanes

#include "primitives/cuda/persistent.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/scratch_pool.h"

namespace copse::cuda {

namespace detail {

/// Where to look first: the multiprocessor, and the place in it that the hardware has given the warp. Two warps
/// hold the same only while one of them is being moved, so this is a hint and nothing more.
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

/// A lease for the calling warp, given back at the end of the object's life. Made and destroyed by all of `lanes`
/// together, none of which may leave the kernel before.
class WarpLease {
 public:
  __device__ explicit WarpLease(const LeasePoolView& pool, u32 lanes = all_lanes) : pool_(pool), lanes_(lanes) {
    const u32 leader = u32(__ffs(int(lanes))) - 1;
    u32 lease = 0;
    if (detail::lane_in_any_block() == leader) {
      const detail::HardwarePlace place = detail::hardware_place();
      lease = pool.take(pool.place_of(place.multiprocessor, place.warp));
    }
    lease_ = __shfl_sync(lanes, lease, int(leader));
    // A shuffle orders no memory: what the leader has acquired, all have from here on.
    __syncwarp(lanes);
  }
  __device__ ~WarpLease() {
    // What all lanes wrote is behind the leader before it releases.
    __syncwarp(lanes_);
    if (detail::lane_in_any_block() == u32(__ffs(int(lanes_))) - 1) pool_.give_back(lease_);
  }
  WarpLease(const WarpLease&) = delete;
  WarpLease& operator=(const WarpLease&) = delete;

  /// The leased memory, the same for all lanes, not initialised. Lanes that pass data by it need __syncwarp.
  template <class T>
  __device__ T* data() const {
    return reinterpret_cast<T*>(pool_.memory(lease_));
  }
  __device__ u32 number() const { return lease_; }

 private:
  const LeasePoolView pool_;
  const u32 lanes_;
  u32 lease_;
};

/// A lease for the calling block, by all of its threads together.
class BlockLease {
 public:
  __device__ explicit BlockLease(const LeasePoolView& pool) : pool_(pool) {
    __shared__ u32 lease;
    if (detail::is_first_thread()) {
      const detail::HardwarePlace place = detail::hardware_place();
      const u32 warps = (blockDim.x * blockDim.y * blockDim.z + warp_size - 1) / warp_size;
      lease = pool.take(pool.place_of(place.multiprocessor, place.warp / warps));
    }
    __syncthreads();
    lease_ = lease;
    // The next lease of the block writes to the same word.
    __syncthreads();
  }
  __device__ ~BlockLease() {
    __syncthreads();
    if (detail::is_first_thread()) pool_.give_back(lease_);
  }
  BlockLease(const BlockLease&) = delete;
  BlockLease& operator=(const BlockLease&) = delete;

  /// The leased memory, the same for all threads, not initialised. Threads that pass data by it need
  /// __syncthreads.
  template <class T>
  __device__ T* data() const {
    return reinterpret_cast<T*>(pool_.memory(lease_));
  }
  __device__ u32 number() const { return lease_; }

 private:
  const LeasePoolView pool_;
  u32 lease_;
};

/// A pool with a lease for each block of `kernel` that the context's GPU holds at once, so that BlockLease never
/// waits.
///   threads, shared_bytes: as it is launched with
///   lease_bytes:           as in LeasePool
/// Throws: Error invalid_argument where no block fits, Error out_of_memory.
template <class... Parameters>
LeasePool lease_pool_for_blocks(Context& context, void (*kernel)(Parameters...), u32 threads, u64 lease_bytes,
                                u32 shared_bytes = 0) {
  const Executor& ex = context.cuda_executor();
  context.device().make_current();
  const u64 blocks = resident_blocks(ex, "lease pool", kernel, threads, shared_bytes);
  return LeasePool(context, blocks, lease_bytes, ex.multiprocessor_count);
}

/// The same for each warp, and WarpLease.
template <class... Parameters>
LeasePool lease_pool_for_warps(Context& context, void (*kernel)(Parameters...), u32 threads, u64 lease_bytes,
                               u32 shared_bytes = 0) {
  const Executor& ex = context.cuda_executor();
  context.device().make_current();
  const u64 blocks = resident_blocks(ex, "lease pool", kernel, threads, shared_bytes);
  const u64 warps = divide_rounding_up(threads, warp_size);
  return LeasePool(context, blocks * warps, lease_bytes, ex.multiprocessor_count);
}

}  // namespace copse::cuda
