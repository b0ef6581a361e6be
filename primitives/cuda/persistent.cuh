#pragma once

// Launches of no more blocks than the GPU holds at once. bench: copse-bench-primitives, persistent/.

#include <string>

#include "primitives/core/bits.h"
#include "primitives/cuda/grid_barrier.cuh"
#include "primitives/persistent.h"

namespace copse::cuda {

/// Returns how many blocks of a kernel the GPU of the executor can hold at once. It is for your own kernels that
/// use a GridBarrier or take work by tickets. It does not count what other launches hold at the time.
/// Throws: Error invalid_argument if not even one block fits.
template <class... Parameters>
u64 resident_blocks(const Executor& ex, const char* label, void (*kernel)(Parameters...), u32 threads,
                    u32 shared_bytes = 0) {
  check_shared_bytes(ex, label, shared_bytes);
  if (shared_bytes > 0) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes)), label);
  }
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, int(threads), shared_bytes), label);
  if (blocks == 0) {
    throw Error(ErrorCode::invalid_argument, std::string(label) + ": a block of " + std::to_string(threads) +
                                                 " threads and " + std::to_string(shared_bytes) +
                                                 " bytes of shared memory fits on no multiprocessor");
  }
  return u64(blocks) * ex.multiprocessor_count;
}

namespace detail {

inline constexpr u32 persistent_threads = 256;

/// Blocks are large, because fewer blocks make the barrier faster.
inline constexpr u32 stage_threads = 1024;

template <class Stages>
__global__ void __launch_bounds__(stage_threads)
    stages_kernel(u32 stage_count, const Stages stages, GridCounters* counters) {
  GridBarrier barrier(counters);
  const u64 thread_count = u64{barrier.size()} * stage_threads;
  for (u32 stage = 0; barrier.takes_part() && stage < stage_count; ++stage) {
    if (stage > 0) barrier.arrive_and_wait();
    const u64 size = stages.size(stage);
    if (size == no_more_stages) break;
    for (u64 i = u64{barrier.rank()} * stage_threads + threadIdx.x; i < size; i += thread_count) stages(stage, i);
  }
  leave_grid(counters);
}

/// Calls f for the elements of chunks. The first chunk of a warp is that of its own number: thousands of warps
/// that ask for a ticket at once would wait for microseconds. For all further chunks it takes tickets. Each warp
/// takes one ticket for which there is no chunk, so the last of all tickets is known: the warp that gets it sets
/// the counter to zero.
template <class F>
__global__ void __launch_bounds__(persistent_threads)
    persistent_for_each_kernel(u64 n, u64 chunk, const F f, GridCounters* counters) {
  constexpr u32 block_warps = persistent_threads / warp_size;
  const u64 warp_count = u64{gridDim.x} * block_warps, chunk_count = divide_rounding_up(n, chunk);
  const u64 last_id = larger(chunk_count, warp_count) + warp_count - 1;
  overlap_launches();
  u64 id = u64{blockIdx.x} * block_warps + threadIdx.x / warp_size;
  for (bool is_ticket = false; !is_ticket || id < chunk_count; is_ticket = true) {
    const u64 first = id * chunk, end = smaller(first + chunk, n);
    for (u64 i = first + lane_id(); i < end; i += warp_size) f(i);
    __syncwarp();
    id = warp_count + take_ticket_by_warp(&counters->ticket);
  }
  if (id == last_id && lane_id() == 0) counters->ticket = 0;
}

}  // namespace detail

/// Contract: primitives/persistent.h.
template <class Stages>
void persistent_stages(const Executor& ex, const char* label, u32 stage_count, Stages stages) {
  if (stage_count == 0) return;
  const auto kernel = detail::stages_kernel<Stages>;
  const u64 blocks = resident_blocks(ex, label, kernel, detail::stage_threads);
  with_grid_counters(ex, [&](GridCounters* counters) {
    launch(ex, label, kernel, {blocks, detail::stage_threads}, stage_count, stages, counters);
  });
}

/// Contract: primitives/persistent.h.
template <class F>
void persistent_for_each(const Executor& ex, const char* label, u64 n, u64 chunk, F f) {
  copse::detail::check_chunk(label, chunk);
  if (n == 0) return;
  chunk = smaller(chunk, n);
  const auto kernel = detail::persistent_for_each_kernel<F>;
  constexpr u32 warps = detail::persistent_threads / warp_size;
  const u64 blocks = smaller(resident_blocks(ex, label, kernel, detail::persistent_threads),
                             divide_rounding_up(divide_rounding_up(n, chunk), warps));
  with_grid_counters(ex, [&](GridCounters* counters) {
    launch(ex, label, kernel,
           {.blocks = blocks, .threads = detail::persistent_threads, .overlaps_earlier_launch = true}, n, chunk, f,
           counters);
  });
}

}  // namespace copse::cuda
