#pragma once

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/loops/for_each_interleaved.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 interleaved_threads = 256;
inline constexpr u32 interleaved_warps = interleaved_threads / warp_size;

/// Elements per lane of a warp, on average. Their inputs are kept in shared memory.
template <class Input>
inline constexpr u32 steps_a_lane = smaller(larger(u32(16384 / interleaved_threads / sizeof(Input)), 2u), 8u);

/// Adds the counts of the threads of a block, with 8 bits per outcome.
__device__ inline void add_outcomes(u32 packed, u32* of_block, u64* counts) {
  for (u32 k = 0; k < 4; ++k) {
    const u32 of_warp = warp_add(all_lanes, packed >> 8 * k & 0xffu);
    if (threadIdx.x % warp_size == 0 && of_warp > 0) atomicAdd(of_block + k, of_warp);
  }
  __syncthreads();
  if (threadIdx.x < 4 && of_block[threadIdx.x] > 0) {
    fetch_add_relaxed(counts + threadIdx.x, u64{of_block[threadIdx.x]});
  }
}

/// Steps through `count` elements of a warp, from `first` on, until all are done. A lane that is done takes the
/// next element that no lane has. Returns the counts of the lane.
template <class F, class Input>
__device__ u32 step_warp(const F& f, u64 first, u32 count, const Input* inputs) {
  u32 packed = 0;
  u32 mine = lane_id();
  u32 next = warp_size;
  auto state = f.start(inputs[smaller(mine, count - 1)]);
  for (;;) {
    const u32 outcome = mine < count ? f.step(first + mine, state) : 4;
    const bool is_done = copse::detail::is_done(outcome);
    const u32 done = __ballot_sync(~0u, is_done);
    if (is_done) {
      if (outcome < 4) packed += 1u << 8 * outcome;
      mine = next + __popc(done & lower_lanes());
      if (mine < count) state = f.start(inputs[mine]);
    }
    next += __popc(done);
    if (!__any_sync(~0u, mine < count)) return packed;
  }
}

template <class F>
__global__ void __launch_bounds__(interleaved_threads) for_each_interleaved_kernel(u64 n, const F f, u64* counts) {
  using Input = decltype(f.fetch(u64{}));
  constexpr u32 tile = warp_size * steps_a_lane<Input>;
  __shared__ u32 of_block[4];
  __shared__ Input inputs[interleaved_warps][tile];
  if (threadIdx.x < 4) of_block[threadIdx.x] = 0;
  __syncthreads();
  const u32 warp = threadIdx.x / warp_size;
  const u64 first = (u64(blockIdx.x) * interleaved_warps + warp) * tile;
  u32 packed = 0;
  if (first < n) {
    const u32 count = u32(smaller(n - first, u64{tile}));
    for (u32 k = lane_id(); k < count; k += warp_size) inputs[warp][k] = f.fetch(first + k);
    __syncwarp();
    packed = step_warp(f, first, count, inputs[warp]);
  }
  if (counts != nullptr) add_outcomes(packed, of_block, counts);
}

}  // namespace detail

/// Contract: primitives/loops/for_each_interleaved.h.
template <class F>
void for_each_interleaved(const Executor& ex, const char* label, u64 n, F f, u64* counts) {
  constexpr u32 elements = detail::interleaved_threads * detail::steps_a_lane<decltype(f.fetch(u64{}))>;
  launch(ex, label, detail::for_each_interleaved_kernel<F>,
         {divide_rounding_up(n, elements), detail::interleaved_threads}, n, f, counts);
}

}  // namespace copse::cuda
