#pragma once

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/loops/for_each_prefetched.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 prefetched_threads = 256;
inline constexpr u32 ahead_count = 4;

template <class F>
__global__ void __launch_bounds__(prefetched_threads) for_each_prefetched_kernel(u64 n, const F f, u64* counts) {
  using State = decltype(f.start(u64{}));
  __shared__ u32 outcomes[4];
  if (threadIdx.x < 4) outcomes[threadIdx.x] = 0;
  __syncthreads();
  const u64 first = u64(blockIdx.x) * (prefetched_threads * ahead_count) + threadIdx.x;
  State states[ahead_count];
#pragma unroll
  for (u32 k = 0; k < ahead_count; ++k) {
    if (first + k * prefetched_threads < n) states[k] = f.start(first + k * prefetched_threads);
  }
  u32 packed_counts = 0;  // 8 bits per outcome
#pragma unroll
  for (u32 k = 0; k < ahead_count; ++k) {
    const u64 i = first + k * prefetched_threads;
    if (i < n) packed_counts += 1u << 8 * f.finish(i, states[k]);
  }
  if (counts == nullptr) return;
  for (u32 k = 0; k < 4; ++k) {
    const u32 of_warp = warp_add(all_lanes, packed_counts >> 8 * k & 0xffu);
    if (threadIdx.x % 32 == 0 && of_warp > 0) atomicAdd(outcomes + k, of_warp);
  }
  __syncthreads();
  if (threadIdx.x < 4 && outcomes[threadIdx.x] > 0) {
    fetch_add_relaxed(counts + threadIdx.x, u64{outcomes[threadIdx.x]});
  }
}

}  // namespace detail

/// Contract: primitives/loops/for_each_prefetched.h.
template <class F>
void for_each_prefetched(const Executor& ex, const char* label, u64 n, F f, u64* counts) {
  launch(ex, label, detail::for_each_prefetched_kernel<F>,
         {divide_rounding_up(n, detail::prefetched_threads * detail::ahead_count), detail::prefetched_threads}, n,
         f, counts);
}

}  // namespace copse::cuda
