#pragma once

// Runs each task of a queue (task_queue.h) by a whole block, for your own kernels.

#include "primitives/core/atomic.h"
#include "primitives/core/warp_atomic.h"
#include "primitives/task_queue.h"

namespace copse::cuda {

namespace detail {

/// Waits for the task of the next ticket. Returns false if none will come. Called by one thread.
template <class T>
__device__ bool take_task(const TaskQueueView<T>& queue, T& task) {
  const u64 place = fetch_add_relaxed(&queue.counters()->ticket, u64{1});
  if (place >= queue.capacity()) return false;
  for (SpinWait wait; !queue.take(place, task); wait()) {
    if (queue.has_ended()) return false;
  }
  return true;
}

}  // namespace detail

/// Calls run(task), with all threads of a block, for each task of a queue and the tasks that they push, until none
/// is left. All threads of all blocks of a launch must call it. What the tasks wrote is visible after the launch.
/// A task must not wait for another. Then the run ends even if few blocks are resident: task_queue.h gives the
/// argument. The counters of the queue are not reset. Once no block uses them any more, one thread must call
/// queue.reset().
template <class T, class Run>
__device__ void run_block_tasks(const TaskQueueView<T>& queue, const Run& run) {
  __shared__ T shared_task;
  __shared__ bool is_taken;
  if (queue.accepted_count() == 0) return;
  for (;;) {
    if (threadIdx.x == 0) is_taken = detail::take_task(queue, shared_task);
    __syncthreads();
    if (!is_taken) return;
    const T task = shared_task;
    __syncthreads();
    run(task);
    __syncthreads();
    if (threadIdx.x == 0) queue.finish(1);
  }
}

}  // namespace copse::cuda
