#pragma once

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/for_each_stepped.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 stepped_threads = 256;
inline constexpr u32 steps_a_thread = 8;  // elements, below 256

/// Adds the counts of a block's threads, of each outcome in 8 bits.
__device__ inline void add_outcomes(u32 packed, u32* of_block, u64* counts) {
  for (u32 k = 0; k < 4; ++k) {
    const u32 of_warp = __reduce_add_sync(~0u, packed >> 8 * k & 0xffu);
    if (threadIdx.x % 32 == 0 && of_warp > 0) atomicAdd(of_block + k, of_warp);
  }
  __syncthreads();
  if (threadIdx.x < 4 && of_block[threadIdx.x] > 0) {
    fetch_add_relaxed(counts + threadIdx.x, u64{of_block[threadIdx.x]});
  }
}

template <class F>
__global__ void __launch_bounds__(stepped_threads) for_each_stepped_kernel(u64 n, const F f, u64* counts) {
  __shared__ u32 of_block[4];
  if (threadIdx.x < 4) of_block[threadIdx.x] = 0;
  __syncthreads();
  u64 i = u64(blockIdx.x) * (stepped_threads * steps_a_thread) + threadIdx.x;
  const u64 end = smaller(n, i + stepped_threads * steps_a_thread);
  u32 packed = 0;
  if (i < end) {
    auto state = f.start(f.fetch(i));
    auto input = f.fetch(smaller(i + stepped_threads, n - 1));
    for (;;) {
      const u32 outcome = f.step(i, state);
      if (outcome >= 4) continue;
      packed += 1u << 8 * outcome;
      i += stepped_threads;
      if (i >= end) break;
      state = f.start(input);
      input = f.fetch(smaller(i + stepped_threads, n - 1));
    }
  }
  if (counts != nullptr) add_outcomes(packed, of_block, counts);
}

}  // namespace detail

/// Contract: primitives/for_each_stepped.h.
template <class F>
void for_each_stepped(const Executor& ex, const char* label, u64 n, F f, u64* counts) {
  launch(ex, label, detail::for_each_stepped_kernel<F>,
         {divide_rounding_up(n, detail::stepped_threads * detail::steps_a_thread), detail::stepped_threads}, n, f,
         counts);
}

}  // namespace copse::cuda
