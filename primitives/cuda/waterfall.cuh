#pragma once

// Warps take their tasks by ticket. bench: copse-bench-primitives, waterfall/.

#include "primitives/core/atomic.h"
#include "primitives/cuda/persistent.cuh"
#include "primitives/task_queue.h"
#include "primitives/waterfall.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 waterfall_threads = 256;

/// A ticket stands for `rows` rows of 32 tasks, so that tickets, of which a GPU gives about one a clock, are not
/// what a large waterfall waits for.
template <class Task>
__global__ void __launch_bounds__(waterfall_threads)
    waterfall_kernel(u64 n, u32 rows, const Task task, GridCounters* counters) {
  for (;;) {
    const u64 first = take_ticket_by_warp(&counters->ticket) * rows * warp_size;
    if (first >= n) break;
    for (u32 r = 0; r < rows; ++r) {
      const u64 i = first + r * warp_size + lane_id();
      bool done = i >= n;
      for (SpinWait wait;; wait()) {
        if (!done) done = task(i);
        if (__all_sync(all_lanes, done)) break;
      }
    }
  }
  leave_grid(counters);
}

/// Looks at a place at a time, of its own.
template <class T, class Task>
__global__ void __launch_bounds__(waterfall_threads)
    run_tasks_kernel(const TaskQueueView<T> queue, const Task task) {
  TaskQueueCounters* const counters = queue.counters();
  bool ended = queue.accepted_count() == 0;
  while (!ended) {
    const u64 place = take_tickets_by_warp(&counters->ticket, warp_size) + lane_id();
    bool waiting = place < queue.capacity();
    if (!__any_sync(all_lanes, waiting)) break;
    for (SpinWait wait;; wait()) {
      T value;
      const bool ready = waiting && queue.take(place, value);
      if (ready) task(place, value, queue);
      waiting = waiting && !ready;
      __syncwarp();
      const u32 ready_lanes = __ballot_sync(all_lanes, ready);
      if (ready_lanes != 0 && lane_id() == 0) queue.finish(u32(__popc(ready_lanes)));
      if (!__any_sync(all_lanes, waiting)) break;
      if (ready_lanes == 0) ended = __any_sync(all_lanes, lane_id() == 0 && queue.has_ended());
      if (ended) break;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && fetch_add_acq_rel(&counters->left, 1u) == gridDim.x - 1) queue.reset();
}

}  // namespace detail

/// Contract: primitives/waterfall.h.
template <class Task>
void waterfall(const Executor& ex, const char* label, u64 n, Task task) {
  constexpr u64 most_tickets = 8192;
  constexpr u64 block_tasks = detail::waterfall_threads;
  const u64 rows = larger(n / (most_tickets * warp_size), u64{1});
  const auto kernel = detail::waterfall_kernel<Task>;
  const u64 blocks = smaller(resident_blocks(ex, label, kernel, detail::waterfall_threads),
                             divide_rounding_up(n, rows * block_tasks));
  with_grid_counters(ex, [&](GridCounters* counters) {
    launch(ex, label, kernel, {blocks, detail::waterfall_threads}, n, u32(rows), task, counters);
  });
}

/// Contract: primitives/task_queue.h.
template <class T, class Task>
void run_tasks(const Executor& ex, const char* label, const TaskQueueView<T>& queue, Task task) {
  const auto kernel = detail::run_tasks_kernel<T, Task>;
  const u64 blocks = smaller(resident_blocks(ex, label, kernel, detail::waterfall_threads),
                             divide_rounding_up(larger(queue.capacity(), u64{1}), detail::waterfall_threads));
  launch(ex, label, kernel, {blocks, detail::waterfall_threads}, queue, task);
}

}  // namespace copse::cuda
