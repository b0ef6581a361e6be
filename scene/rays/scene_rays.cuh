#pragma once

#include <cstdlib>

#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 scene_threads = 128;

template <u32 blocks, class Trace>
__global__ void __launch_bounds__(scene_threads, blocks) trace_each_kernel(u64 n, const Trace trace) {
  overlap_launches();
  const u64 i = u64(blockIdx.x) * scene_threads + threadIdx.x;
  if (i < n) trace(i);
}

}  // namespace detail

/// Contract: scene/rays/scene_rays.inl.
template <class Trace>
void trace_each(const Executor& ex, const char* label, u64 n, Trace trace) {
  const auto run = [&](auto kernel) {
    launch(ex, label, kernel,
           {.blocks = divide_rounding_up(n, detail::scene_threads),
            .threads = detail::scene_threads,
            .overlaps_earlier_launch = true},
           n, trace);
  };
  const char* x = std::getenv("COPSE_X_SCENE");
  switch (x == nullptr ? 0 : std::atoi(x)) {
    case 8: return run(detail::trace_each_kernel<8, Trace>);
    case 6: return run(detail::trace_each_kernel<6, Trace>);
    case 5: return run(detail::trace_each_kernel<5, Trace>);
    default: return run(detail::trace_each_kernel<4, Trace>);
  }
}

}  // namespace copse::cuda
