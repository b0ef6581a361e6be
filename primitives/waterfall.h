#pragma once

// Contract of waterfall; implemented in cpu/waterfall.h and cuda/waterfall.cuh (Meister, Yoshimura, Kao, "GPU
// Programming Primitives for Computer Graphics", SIGGRAPH Asia 2023 Courses, "Waterfall Scheme").
//
//   waterfall(ex, label, n, task, options = {})
//     Runs tasks 0 to n - 1 in one launch, each of which may wait for tasks before it. `task`: host+device
//     `bool operator()(u64 i) const`, true when task i is done, false when something that it waits for is not
//     there yet: it is then asked again. It never waits itself. Once it has said true it is not asked any more.
//     What passes from task to task is the user's: a flag by store_release and load_acquire (core/atomic.h), or,
//     faster, a word that holds a value and is not 0 once it is there, by store_relaxed and load_relaxed.
//     `options`: WaterfallOptions, below. No scratch, no wait; may be captured.
//
// Why it always ends, where task i waits for tasks below i alone: blocks (on the CPU, workers) take their tasks by
// tickets, in order, and run what they took in order. So every task below the highest one that is taken is done,
// or in the hands of a block that runs. Take the lowest task that is not done: all that it waits for is done, and
// its warp is at it, since its block is through with all lower tasks. So it is done at its next turn, and no block
// that is not resident is ever waited for, whatever order the hardware starts blocks in and however few of them
// have room. The course takes the thread's number for the ticket instead, which hangs where blocks do not start in
// order.
//
// Lanes of one warp may wait for each other, on GPUs that run them in step too: a task that has to wait
// returns, so that no lane stays in a loop of its own while the one it waits for is masked out.
//
// Where the number of tasks is not known before they run: task_queue.h.

#include "primitives/core/executor.h"

namespace copse {

struct WaterfallOptions {
  /// Threads that run tasks at once on each multiprocessor, in whole blocks of 256, and as many as fit; no effect
  /// on the CPU. Threads that wait look at memory again and again, which holds up those that work: few of them are
  /// best for short tasks of which most wait, many for tasks that work long on memory.
  u32 threads_a_multiprocessor = 512;
};

}  // namespace copse
