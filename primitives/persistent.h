#pragma once

// Contract of persistent_stages and persistent_for_each; implemented in cpu/persistent.h and cuda/persistent.cuh
// (Gupta, Stuart, Owens, "A Study of Persistent Threads Style GPU Programming for GPGPU Workloads", InPar 2012).
//
//   persistent_stages(ex, label, stage_count, stages)
//     Runs stage 0, then stage 1, and so on: several kernels in one launch. `stages`, host+device:
//       u64 size(u32 stage) const                  the number of elements of a stage; no_more_stages ends the run.
//                                                  Called when all earlier stages are done, so it may read what
//                                                  they wrote, but not what this stage writes. Every thread must
//                                                  get the same answer.
//       void operator()(u32 stage, u64 i) const    called once for each i below size(stage), in no order. Sees
//                                                  what all earlier stages wrote.
//     On CUDA the launch has at most as many blocks as the GPU holds at once, with a grid barrier between stages.
//     On the CPU a stage is a parallel loop, in which no worker waits for another. The run does not wait for
//     blocks that cannot start because other work holds their multiprocessors: the blocks that have started share
//     the work.
//
//   persistent_for_each(ex, label, n, chunk, f)
//     Calls f(i) once for each i below n, in no order, as for_each does, but from a work counter: a warp that is
//     done with `chunk` neighbouring elements takes the next ones. For elements some of which take much longer
//     than others. A warp works on one chunk at a time, so multiples of 32 leave no lane idle. `chunk` is above 0.
//
// Both take no scratch, do not wait, and may be captured.

#include <string>

#include "primitives/core/executor.h"

namespace copse {

inline constexpr u64 no_more_stages = ~u64{0};

namespace detail {

/// Throws: Error invalid_argument.
inline void check_chunk(const char* label, u64 chunk) {
  if (chunk > 0) return;
  throw Error(ErrorCode::invalid_argument, std::string(label) + ": chunks of 0 elements, at least 1");
}

}  // namespace detail

}  // namespace copse
