#pragma once

// A barrier for all blocks of a launch that are on the GPU at once. It can be used any number of times and needs
// no cooperative launch.

#include "primitives/core/atomic.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/loops/team.cuh"

namespace copse::cuda {

/// The counters that the blocks of a persistent launch share. They are zero before the launch. They are zero after
/// it too, if every block calls leave_grid at its end.
struct GridCounters {
  u32 arrived;  // arrivals at barriers
  u32 left;
  u32 team;
  alignas(128) u64 ticket;  // in a cache line of its own: blocks at the barrier poll the words above
};

/// The barrier of a grid, for one thread. All threads of all blocks construct one at the start of the kernel.
/// Usually all blocks take part. If other work holds multiprocessors for long, the blocks that start late leave at
/// once. The blocks that take part share the work by rank, and all call the barrier equally often. Launch at most
/// resident_blocks (persistent.cuh) blocks: with more, the barrier would wait for blocks that cannot start.
///
/// Arrivals only add to one counter. So a block knows from the number of its barriers which value the counter must
/// reach, and there is no phase bit to flip. At the end the counter is set to zero again, so that a graph finds it
/// unchanged. (The phase bit of cooperative groups keeps its last value.) Only differences are compared, so the
/// counter may wrap around: blocks are never more than two barriers apart.
class GridBarrier {
 public:
  /// Waits for the other blocks to start, for about ten microseconds at most.
  __device__ explicit GridBarrier(GridCounters* counters) : arrived_(&counters->arrived) {
    __shared__ u32 rank, size;
    if (threadIdx.x == 0) {
      rank = start_in_team(&counters->team);
      size = settle_team(&counters->team);
    }
    __syncthreads();
    rank_ = rank;
    size_ = size;
  }

  __device__ bool takes_part() const { return rank_ != no_rank; }

  /// Returns the number of the block among those that take part.
  __device__ u32 rank() const { return rank_; }
  /// Returns how many blocks take part.
  __device__ u32 size() const { return size_; }

  /// Waits for all threads of the blocks that take part. Then all that they wrote before is visible.
  __device__ void arrive_and_wait() {
    __syncthreads();
    expected_ += size_;
    if (threadIdx.x == 0) {
      // The release covers the whole block, because the barrier above orders its threads before it. A thread polls
      // the word only once it has the result of its addition, so it does not slow down blocks that still arrive.
      const u32 before = fetch_add_acq_rel(arrived_, 1u);
      if (before + 1 != expected_) {
        while (i32(load_acquire(arrived_) - expected_) < 0) __nanosleep(32);
      }
    }
    __syncthreads();
  }

 private:
  u32* arrived_;
  u32 rank_, size_;
  u32 expected_ = 0;
};

/// Ends the use of the counters by a block. The last block to call it sets them to zero. All threads must call it.
/// Returns true to one thread of the last block, which may then clear other memory that the blocks shared.
__device__ inline bool leave_grid(GridCounters* counters) {
  __syncthreads();
  if (threadIdx.x != 0 || fetch_add_acq_rel(&counters->left, 1u) != gridDim.x - 1) return false;
  counters->arrived = counters->left = counters->team = 0;
  counters->ticket = 0;
  return true;
}

/// Takes `count` numbers for the warp and returns the first, the same to all lanes. All lanes must call it.
__device__ inline u64 take_tickets_by_warp(u64* ticket, u64 count) {
  u64 first = 0;
  if (lane_id() == 0) first = fetch_add_relaxed(ticket, count);
  return shuffle_from(first, 0);
}
__device__ inline u64 take_ticket_by_warp(u64* ticket) {
  return take_tickets_by_warp(ticket, 1);
}

/// Calls run(counters), which must launch one kernel. Each of its blocks must end with leave_grid.
template <class Run>
void with_grid_counters(const Executor& ex, const Run& run) {
  ZeroedMemory::Scope zeroed(ex.zeroed);
  run(static_cast<GridCounters*>(zeroed.data()));
  zeroed.leaves_zero();
}

}  // namespace copse::cuda
