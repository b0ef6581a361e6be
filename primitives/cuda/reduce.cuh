#pragma once

// Two launches: a grid whose size depends on n alone leaves one partial result a block, a single block
// reduces those.

#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/inputs.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 reduce_threads = 256;
inline constexpr u64 reduce_items = 8;           // at least so many elements a thread
inline constexpr u64 reduce_most_blocks = 1024;  // past that, more elements a thread

inline u64 reduce_block_count(u64 n) {
  return smaller(larger(divide_rounding_up(n, reduce_threads * reduce_items), u64{1}), reduce_most_blocks);
}

template <class T, class Input, class Op>
__global__ void __launch_bounds__(reduce_threads) reduce_kernel(u64 n, Input input, T identity, Op op, T* out) {
  T sum = identity;
  for (u64 i = u64(blockIdx.x) * reduce_threads + threadIdx.x; i < n; i += u64(gridDim.x) * reduce_threads) {
    sum = op(sum, input(i));
  }

  __shared__ alignas(16) unsigned char memory[reduce_threads * sizeof(T)];
  T* sums = reinterpret_cast<T*>(memory);
  sums[threadIdx.x] = sum;
  for (u32 half = reduce_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] = op(sums[threadIdx.x], sums[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

}  // namespace detail

template <class T>
u64 reduce_scratch_bytes(const Executor&, u64 n) {
  return ScratchArena::bytes_for<T>(detail::reduce_block_count(n));
}

/// Contract: primitives/reduce.h.
template <class T, class Input, class Op>
void reduce(const Executor& ex, const char* label, u64 n, Input input, T identity, Op op, T* out) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 block_count = detail::reduce_block_count(n);
  T* partial = block_count == 1 ? out : frame.allocate<T>(block_count);
  launch(ex, label, detail::reduce_kernel<T, Input, Op>, {block_count, detail::reduce_threads}, n, input, identity,
         op, partial);
  if (block_count == 1) return;
  launch(ex, label, detail::reduce_kernel<T, Elements<T>, Op>, {1, detail::reduce_threads}, block_count,
         Elements<T>{partial}, identity, op, out);
}

}  // namespace copse::cuda
