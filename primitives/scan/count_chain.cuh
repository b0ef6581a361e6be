#pragma once

// Decoupled look-back for counts (Merrill, Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
// NVIDIA 2016). Where we differ: the whole block looks back, so that one look covers all tiles on which blocks
// work at the same time; a warp would have to look several times. And a count shares a word with its status, so
// that the two need no memory order.
//
//   63 62  | 61 .. 0
//   status | count

#include "primitives/core/atomic.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/for_each.cuh"

namespace copse::cuda::detail {

/// The table in which the tiles of a launch publish their counts. It is zero before the launch, and after it if
/// the launch clears it.
struct CountChain {
  u32* ticket;
  u32* finished;
  u64* words;  // [tile]
  u64 tile_count;
  bool clears_itself;

  /// A larger table would take the last block too long to clear.
  static constexpr u64 max_self_cleared_bytes = u64{128} << 10;
  static constexpr u64 bytes_for(u64 tile_count) { return 16 + tile_count * sizeof(u64); }
  static constexpr u64 scratch_bytes_for(u64 tile_count) {
    const u64 bytes = bytes_for(tile_count);
    return bytes <= max_self_cleared_bytes ? 0 : ScratchArena::bytes_for<unsigned char>(bytes);
  }
  static CountChain at(void* memory, u64 tile_count, bool clears_itself) {
    u32* counters = static_cast<u32*>(memory);
    return {counters, counters + 1, reinterpret_cast<u64*>(counters + 4), tile_count, clears_itself};
  }
};

/// Calls run(chain), which must launch one kernel.
template <class Run>
void with_count_chain(const Executor& ex, const char* label, u64 tile_count, const Run& run) {
  const u64 bytes = CountChain::bytes_for(tile_count);
  if (bytes <= CountChain::max_self_cleared_bytes) {
    ZeroedMemory::Scope zeroed(ex.zeroed);
    run(CountChain::at(zeroed.data(), tile_count, true));
    zeroed.leaves_zero();
  } else {
    ScratchArena::Frame frame(ex.scratch);
    auto* memory = frame.allocate<unsigned char>(bytes);
    fill_bytes(ex, label, memory, bytes, 0);
    run(CountChain::at(memory, tile_count, false));
  }
}

inline constexpr u32 count_status_shift = 62;
inline constexpr u64 count_mask = (u64{1} << count_status_shift) - 1;
inline constexpr u32 count_is_pending = 0, count_is_own = 1, count_is_through = 2;

__device__ inline void publish_count(const CountChain& chain, u64 tile, u32 status, u64 count) {
  store_relaxed(chain.words + tile, u64(status) << count_status_shift | count);
}

/// The sum of the counts of the tiles from `newest` down that one warp reads, as far as they are needed. Lane 0
/// reads the newest. read_window waits until they are published. If `is_whole` is set, no older tile is needed.
struct CountWindow {
  u64 sum;
  bool is_whole;
};
__device__ inline CountWindow read_window(const CountChain& chain, i64 newest) {
  const i64 id = newest - lane_id();
  for (;;) {
    const u64 word = id >= 0 ? load_relaxed(chain.words + id) : u64{count_is_through} << count_status_shift;
    const u32 status = u32(word >> count_status_shift);
    const u32 through_lanes = __ballot_sync(all_lanes, status == count_is_through);
    const u32 pending_lanes = __ballot_sync(all_lanes, status == count_is_pending);
    const u32 last = through_lanes == 0 ? warp_size - 1 : u32(__ffs(int(through_lanes))) - 1;
    if ((pending_lanes & (all_lanes >> (warp_size - 1 - last))) != 0) continue;
    return {warp_reduce(lane_id() <= last ? word & count_mask : 0, Plus{}), through_lanes != 0};
  }
}

inline constexpr u32 look_back_warps = 4;

/// Returns the sum of the counts of all tiles before `tile`. All threads of the block call it. It ends with a
/// barrier.
__device__ inline u64 count_before(const CountChain& chain, u64 tile) {
  __shared__ CountWindow windows[look_back_warps];
  const u32 warp = threadIdx.x / warp_size;
  u64 sum = 0;
  for (i64 newest = i64(tile) - 1; newest >= 0; newest -= look_back_warps * warp_size) {
    if (warp < look_back_warps) {
      const CountWindow window = read_window(chain, newest - i64(warp * warp_size));
      if (lane_id() == 0) windows[warp] = window;
    }
    __syncthreads();
    bool is_whole = false;
#pragma unroll
    for (u32 w = 0; w < look_back_warps; ++w) {
      if (!is_whole) sum += windows[w].sum;
      is_whole = is_whole || windows[w].is_whole;
    }
    __syncthreads();
    if (is_whole) break;
  }
  return sum;
}

/// Ends the use of the chain by a block. If the chain clears itself, the last block to call this leaves it zero.
/// All threads of the block call it.
__device__ inline void leave_chain(const CountChain& chain) {
  __shared__ bool is_last;
  if (!chain.clears_itself) return;
  __syncthreads();
  if (threadIdx.x == 0) is_last = fetch_add_acq_rel(chain.finished, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  for (u64 tile = threadIdx.x; tile < chain.tile_count; tile += blockDim.x) chain.words[tile] = 0;
  if (threadIdx.x == 0) *chain.ticket = *chain.finished = 0;
}

}  // namespace copse::cuda::detail
