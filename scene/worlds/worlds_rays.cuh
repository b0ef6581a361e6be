#pragma once

#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

// 6 blocks of 128 threads have 80 registers per thread, as many as single rays through a scene need.
inline constexpr u32 world_threads = 128, world_blocks = 6;

template <class Trace>
__global__ void __launch_bounds__(world_threads, world_blocks) trace_in_worlds_kernel(u64 n, const Trace trace) {
  overlap_launches();
  const u64 i = u64(blockIdx.x) * world_threads + threadIdx.x;
  if (i < n) trace(i);
}

}  // namespace detail

/// Contract: scene/worlds/worlds_rays.inl.
template <class Trace>
void trace_each_in_world(const Executor& ex, const char* label, u64 n, Trace trace) {
  launch(ex, label, detail::trace_in_worlds_kernel<Trace>,
         {.blocks = divide_rounding_up(n, u64{detail::world_threads}),
          .threads = detail::world_threads,
          .overlaps_earlier_launch = true},
         n, trace);
}

}  // namespace copse::cuda
