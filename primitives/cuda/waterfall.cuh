#pragma once

// Blocks and warps take their tasks by ticket. bench: copse-bench-primitives, waterfall/.

#include "primitives/core/atomic.h"
#include "primitives/core/warp_atomic.h"
#include "primitives/cuda/persistent.cuh"
#include "primitives/task_queue.h"
#include "primitives/waterfall.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 waterfall_threads = 256;

/// Returns the number of blocks to launch for `count` tasks, one task per thread: as many as fit, but no more than
/// the options allow or the tasks need.
template <class... Parameters>
u64 waterfall_blocks(const Executor& ex, const char* label, void (*kernel)(Parameters...), u64 count,
                     const WaterfallOptions& options) {
  const u64 wanted =
      larger(options.threads_per_multiprocessor / waterfall_threads, 1u) * u64{ex.multiprocessor_count};
  const u64 useful = larger(divide_rounding_up(count, u64{waterfall_threads}), u64{1});
  return smaller(smaller(resident_blocks(ex, label, kernel, waterfall_threads), wanted), useful);
}

/// Runs n tasks. One ticket stands for one task of each thread of the block. A GPU gives about one ticket per
/// clock, so a large waterfall would wait for tickets that stand for less. The next ticket is fetched while the
/// block works.
template <class Task>
__global__ void __launch_bounds__(waterfall_threads)
    waterfall_kernel(u64 n, const Task task, GridCounters* counters) {
  __shared__ u64 shared_ticket;
  u64 next_ticket = 0;
  if (threadIdx.x == 0) next_ticket = fetch_add_relaxed(&counters->ticket, u64{1});
  for (;;) {
    if (threadIdx.x == 0) shared_ticket = next_ticket;
    __syncthreads();
    const u64 first = shared_ticket * waterfall_threads;
    if (first >= n) break;
    if (threadIdx.x == 0) next_ticket = fetch_add_relaxed(&counters->ticket, u64{1});
    const u64 i = first + threadIdx.x;
    for (bool done = i >= n;; __nanosleep(20)) {
      if (!done) done = task(i);
      if (__all_sync(all_lanes, done)) break;
    }
    __syncthreads();
  }
  leave_grid(counters);
}

/// Runs the tasks of a queue. Each lane has one place at a time. A warp counts its finished tasks before it waits,
/// not after each task. The queue does not end while a warp has not counted the tasks that it finished.
template <class T, class Task>
__global__ void __launch_bounds__(waterfall_threads)
    run_tasks_kernel(const TaskQueueView<T> queue, const Task task) {
  TaskQueueCounters* const counters = queue.counters();
  bool ended = queue.accepted_count() == 0;
  u32 uncounted = 0;
  while (!ended) {
    const u64 place = take_tickets_by_warp(&counters->ticket, warp_size) + lane_id();
    bool waiting = place < queue.capacity();
    for (SpinWait wait; !ended && __any_sync(all_lanes, waiting);) {
      T value;
      const bool ready = waiting && queue.take(place, value);
      if (ready) task(place, value, queue);
      waiting = waiting && !ready;
      __syncwarp();
      const u32 ready_count = u32(__popc(__ballot_sync(all_lanes, ready)));
      uncounted += ready_count;
      if (ready_count > 0) continue;
      if (uncounted > 0 && lane_id() == 0) queue.finish(uncounted);
      uncounted = 0;
      ended = __any_sync(all_lanes, lane_id() == 0 && queue.has_ended());
      wait();
    }
    if (__all_sync(all_lanes, place >= queue.capacity())) break;
  }
  if (uncounted > 0 && lane_id() == 0) queue.finish(uncounted);
  __syncthreads();
  if (threadIdx.x == 0 && fetch_add_acq_rel(&counters->left, 1u) == gridDim.x - 1) queue.reset();
}

}  // namespace detail

/// Contract: primitives/waterfall.h.
template <class Task>
void waterfall(const Executor& ex, const char* label, u64 n, Task task, const WaterfallOptions& options = {}) {
  if (n == 0) return;
  const auto kernel = detail::waterfall_kernel<Task>;
  const u64 blocks = detail::waterfall_blocks(ex, label, kernel, n, options);
  with_grid_counters(ex, [&](GridCounters* counters) {
    launch(ex, label, kernel, {blocks, detail::waterfall_threads}, n, task, counters);
  });
}

/// Contract: primitives/task_queue.h.
template <class T, class Task>
void run_tasks(const Executor& ex, const char* label, const TaskQueueView<T>& queue, Task task,
               const WaterfallOptions& options = {}) {
  const auto kernel = detail::run_tasks_kernel<T, Task>;
  const u64 blocks = detail::waterfall_blocks(ex, label, kernel, queue.capacity(), options);
  launch(ex, label, kernel, {blocks, detail::waterfall_threads}, queue, task);
}

}  // namespace copse::cuda
