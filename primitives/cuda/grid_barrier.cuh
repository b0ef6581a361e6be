#pragma once

// A barrier for all blocks of a launch that are on the GPU at once, any number of times, without cooperative
// launch.

#include "primitives/core/atomic.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/loops/team.cuh"

namespace copse::cuda {

/// What the blocks of a persistent launch share. Zero before the launch, and after it where every block calls
/// leave_grid at its end.
struct GridCounters {
  u32 arrived;  // at barriers
  u32 left;
  u32 team;
  alignas(128) u64 ticket;  // apart: blocks at the barrier look at the words above all the time
};

/// A thread's part in the grid's barrier. All threads of all blocks make one at the kernel's start. Those that
/// take part, which are all but where other work holds multiprocessors for long, share the work by rank and meet
/// as often as each other; the others leave. Launch at most resident_blocks (persistent.cuh): more would wait in
/// vain.
///
/// Arrivals only ever add to one counter, so a block knows from the number of its barriers what the counter is to
/// reach: no phase has to be turned over, and at the end the counter goes back to zero, so that a graph finds it
/// as it was (cooperative groups keep a phase bit in theirs, which stays as it falls). Comparing differences lets
/// the counter wrap around: blocks are never further apart than two barriers.
class GridBarrier {
 public:
  /// Waits for the other blocks to start, about ten microseconds at most.
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

  /// The block's number among those that take part, and how many those are.
  __device__ u32 rank() const { return rank_; }
  __device__ u32 size() const { return size_; }

  /// Waits for all threads of the grid; what they wrote before is seen after.
  __device__ void arrive_and_wait() {
    __syncthreads();
    expected_ += size_;
    if (threadIdx.x == 0) {
      // The release stands for the whole block, whose threads the barrier above has put before it. Waiting for the
      // answer keeps looks at the word out of the way of those who still arrive.
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

/// Ends a block's use of the counters; the last block to call it leaves them zero. By all threads. True for one
/// thread of the last block, which may clear what else the blocks shared.
__device__ inline bool leave_grid(GridCounters* counters) {
  __syncthreads();
  if (threadIdx.x != 0 || fetch_add_acq_rel(&counters->left, 1u) != gridDim.x - 1) return false;
  counters->arrived = counters->left = counters->team = 0;
  counters->ticket = 0;
  return true;
}

/// Takes `count` numbers for the warp and returns the first, the same for all lanes, all of which call.
__device__ inline u64 take_tickets_by_warp(u64* ticket, u64 count) {
  u64 first = 0;
  if (lane_id() == 0) first = fetch_add_relaxed(ticket, count);
  return shuffle_from(first, 0);
}
__device__ inline u64 take_ticket_by_warp(u64* ticket) {
  return take_tickets_by_warp(ticket, 1);
}

/// Calls run(counters), which launches one kernel whose blocks all end with leave_grid.
template <class Run>
void with_grid_counters(const Executor& ex, const Run& run) {
  ZeroedMemory::Scope zeroed(ex.zeroed);
  run(static_cast<GridCounters*>(zeroed.data()));
  zeroed.leaves_zero();
}

}  // namespace copse::cuda
