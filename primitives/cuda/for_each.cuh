#pragma once

#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 for_each_threads = 256;

template <class F>
__global__ void __launch_bounds__(for_each_threads) for_each_kernel(u64 n, const F f) {
  overlap_launches();
  const u64 i = u64(blockIdx.x) * for_each_threads + threadIdx.x;
  if (i < n) f(i);
}

}  // namespace detail

/// Contract: primitives/for_each.h.
template <class F>
void for_each(const Executor& ex, const char* label, u64 n, F f) {
  launch(ex, label, detail::for_each_kernel<F>,
         {.blocks = divide_rounding_up(n, detail::for_each_threads),
          .threads = detail::for_each_threads,
          .overlaps_earlier_launch = true},
         n, f);
}

/// Contract: primitives/for_each.h.
template <class T>
void fill_bytes(const Executor& ex, const char* label, T* data, u64 count, u8 byte) {
  throw_if_cancelled(ex);
  if (count == 0) return;
  ex.profile.count_launch(label);
  ProfileScope scope(ex.profile, label);
  check(cudaMemsetAsync(data, byte, count * sizeof(T), static_cast<cudaStream_t>(ex.stream)), label);
}

}  // namespace copse::cuda
