#pragma once

// Contract of waterfall; implemented in cpu/waterfall.h and cuda/waterfall.cuh (Meister, Yoshimura, Kao, "GPU
// Programming Primitives for Computer Graphics", SIGGRAPH Asia 2023 Courses, "Waterfall Scheme").
//
//   waterfall(ex, label, n, task, options = {})
//     Runs tasks 0 to n - 1 in one launch, each of which may wait for tasks before it. `task`: host+device `bool
//     operator()(u64 i) const`. It returns true when task i is done, and is then not called again. It returns
//     false if something is not there yet, and is then called again; it must not wait itself. Tasks pass data by
//     means of the user's: a flag by store_release and load_acquire (core/atomic.h) or, faster, a word that is 0
//     until it holds a value, by store_relaxed and load_relaxed. `options`: WaterfallOptions, below. Takes no
//     scratch and does not wait; may be captured.
//
// Why it always ends if task i waits only for tasks below i: blocks (on the CPU, workers) take their tasks by
// tickets, in order, and run the tasks that they took in order. So every task below the highest one that is taken
// is done, or held by a block that runs. Look at the lowest task that is not done: all that it waits for is done,
// and its warp is working on it, since its block has done all lower tasks. So its next call completes it. No task
// ever waits for a block that is not resident, in whatever order the hardware starts blocks and however few of
// them have room. The course uses the number of the thread in place of the ticket, which hangs if blocks do not
// start in order.
//
// Lanes of one warp may wait for each other, also on GPUs that run them in step: a task that has to wait returns,
// so no lane stays in a loop of its own while the lane for which it waits is masked out.
//
// If the number of tasks is not known before they run: task_queue.h.

#include "primitives/core/executor.h"

namespace copse {

struct WaterfallOptions {
  /// Threads that run tasks at once on each multiprocessor, in whole blocks of 256, as far as they fit. No effect
  /// on the CPU. Threads that wait poll memory and slow down those that work. So few threads are best for short
  /// tasks that mostly wait, and many for tasks with much work in memory.
  u32 threads_per_multiprocessor = 512;
};

}  // namespace copse
