#pragma once

#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

// 6 blocks of 128 threads have 80 registers per thread. The waiting walk then stands in local memory. On an H200 this
// was 8 to 20 % faster than 126 registers, and up to 9 % faster than 64 (100 and 1,000 copies of the testball).
inline constexpr u32 scene_threads = 128, scene_blocks = 6;

template <class Trace>
__global__ void __launch_bounds__(scene_threads, scene_blocks) trace_each_kernel(u64 n, const Trace trace) {
  overlap_launches();
  const u64 i = u64(blockIdx.x) * scene_threads + threadIdx.x;
  if (i < n) trace(i);
}

}  // namespace detail

/// Contract: scene/rays/scene_rays.inl.
template <class Trace>
void trace_each(const Executor& ex, const char* label, u64 n, Trace trace) {
  launch(ex, label, detail::trace_each_kernel<Trace>,
         {.blocks = divide_rounding_up(n, detail::scene_threads),
          .threads = detail::scene_threads,
          .overlaps_earlier_launch = true},
         n, trace);
}

}  // namespace copse::cuda
