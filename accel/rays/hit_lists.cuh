#pragma once

#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 hit_list_threads = 128, hit_list_blocks = 6;  // 80 registers per thread

template <class F>
__global__ void __launch_bounds__(hit_list_threads, hit_list_blocks) for_each_ray_kernel(u64 n, const F f) {
  overlap_launches();
  const u64 i = u64(blockIdx.x) * hit_list_threads + threadIdx.x;
  if (i < n) f(i);
}

}  // namespace detail

/// Contract: accel/rays/hit_lists.inl.
template <class F>
void for_each_ray(const Executor& ex, const char* label, u64 n, F f) {
  launch(ex, label, detail::for_each_ray_kernel<F>,
         {.blocks = divide_rounding_up(n, detail::hit_list_threads),
          .threads = detail::hit_list_threads,
          .overlaps_earlier_launch = true},
         n, f);
}

}  // namespace copse::cuda
