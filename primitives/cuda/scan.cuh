#pragma once

// One launch over tiles that are chained by decoupled look-back (Merrill, Garland, "Single-pass Parallel
// Prefix Scan with Decoupled Look-back", NVIDIA 2016). Tiles take their number from a ticket, so that a tile
// waits only for tiles that run already, whatever order the hardware starts blocks in.

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 scan_threads = 256;
inline constexpr u32 scan_warps = scan_threads / warp_size;

/// Rows of 32 elements that a warp scans: as many as keep a thread at 32 bytes.
template <class T>
inline constexpr u32 scan_rows = sizeof(T) >= 32 ? 1 : (sizeof(T) <= 4 ? 8 : 32 / sizeof(T));

template <class T>
inline constexpr u64 scan_tile = u64{scan_threads} * scan_rows<T>;

enum TileStatus : u32 { tile_pending = 0, tile_has_sum = 1, tile_has_prefix = 2 };

/// What tiles tell each other. The values are published by the release of their status.
template <class T>
struct TileChain {
  u32* ticket;
  u32* status;
  T* sum;     // of the tile alone
  T* prefix;  // of all elements up to the tile's end
};

/// A value, or nothing: operators need no neutral element.
template <class T>
struct Maybe {
  T value;
  bool there;
};

template <class T, class Op>
__device__ Maybe<T> combine(const Maybe<T>& left, const Maybe<T>& right, Op op) {
  if (!left.there) return right;
  if (!right.there) return left;
  return {op(left.value, right.value), true};
}

/// The sum of all tiles before `tile`, for all lanes of the calling warp. `tile` is above 0.
template <class T, class Op>
__device__ T look_back(const TileChain<T>& chain, u32 tile, Op op) {
  Maybe<T> sum{T{}, false};
  for (i64 newest = i64(tile) - 1;;) {
    const i64 id = newest - lane_id();
    const u32 status = id >= 0 ? load_acquire(chain.status + id) : u32(tile_has_prefix);
    const u32 prefix_lanes = __ballot_sync(all_lanes, status == tile_has_prefix);
    const u32 pending_lanes = __ballot_sync(all_lanes, status == tile_pending);
    const u32 last = prefix_lanes == 0 ? warp_size - 1 : u32(__ffs(int(prefix_lanes))) - 1;
    if ((pending_lanes & (0xffffffffu >> (warp_size - 1 - last))) != 0) continue;

    // Lane 0 holds the newest tile, so values from lanes above go on the left.
    Maybe<T> value{T{}, false};
    if (id >= 0 && lane_id() <= last) {
      value = {*(status == tile_has_prefix ? chain.prefix + id : chain.sum + id), true};
    }
    for (u32 distance = 1; distance < warp_size; distance *= 2) {
      const Maybe<T> above = shuffle_down(value, distance);
      if (lane_id() + distance < warp_size) value = combine(above, value, op);
    }
    sum = combine(shuffle_from(value, 0), sum, op);
    if (prefix_lanes != 0) return sum.value;
    newest -= warp_size;
  }
}

/// Publishes the tile's sum, looks back, publishes its prefix, and returns what stands before the tile.
template <class T, class Op>
__device__ Maybe<T> chain_tile(const TileChain<T>& chain, u32 tile, const T& sum, const Maybe<T>& init, Op op) {
  Maybe<T> before = init;
  if (tile > 0) {
    if (lane_id() == 0) {
      chain.sum[tile] = sum;
      store_release(chain.status + tile, tile_has_sum);
    }
    before = {look_back(chain, tile, op), true};
  }
  if (lane_id() == 0) {
    chain.prefix[tile] = combine(before, Maybe<T>{sum, true}, op).value;
    store_release(chain.status + tile, tile_has_prefix);
  }
  return before;
}

template <bool inclusive, class T, class Input, class Op>
__global__ void __launch_bounds__(scan_threads)
    scan_kernel(u64 n, Input input, Maybe<T> init, Op op, T* out, T* total, TileChain<T> chain) {
  constexpr u32 rows = scan_rows<T>;
  __shared__ u32 shared_tile;
  __shared__ alignas(16) unsigned char warp_memory[(scan_warps + 1) * sizeof(Maybe<T>)];
  auto* warp_sums = reinterpret_cast<Maybe<T>*>(warp_memory);
  Maybe<T>* before_tile = warp_sums + scan_warps;
  const u32 warp = threadIdx.x / warp_size;

  if (threadIdx.x == 0) shared_tile = atomicAdd(chain.ticket, 1u);
  __syncthreads();
  const u32 tile = shared_tile;
  const u64 first = tile * scan_tile<T> + warp * (warp_size * rows) + lane_id();

  // Load rows of neighbouring elements. Past the end nothing is there, and nothing follows it.
  Maybe<T> row[rows];
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    const u64 i = first + k * warp_size;
    row[k] = i < n ? Maybe<T>{input(i), true} : Maybe<T>{T{}, false};
  }

  // Scan each row over the lanes, and the rows one after another.
  Maybe<T> carry{T{}, false};
  Maybe<T> exclusive[rows];
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    for (u32 distance = 1; distance < warp_size; distance *= 2) {
      const Maybe<T> below = shuffle_up(row[k], distance);
      if (lane_id() >= distance) row[k] = combine(below, row[k], op);
    }
    Maybe<T> left = shuffle_up(row[k], 1);
    left.there = left.there && lane_id() > 0;
    exclusive[k] = combine(carry, left, op);
    const Maybe<T> row_sum = shuffle_from(row[k], warp_size - 1);
    row[k] = combine(carry, row[k], op);
    carry = combine(carry, row_sum, op);
  }
  if (lane_id() == 0) warp_sums[warp] = carry;
  __syncthreads();

  // The first warp joins the tile to the chain.
  if (warp == 0) {
    Maybe<T> tile_sum = warp_sums[0];
    for (u32 k = 1; k < scan_warps; ++k) tile_sum = combine(tile_sum, warp_sums[k], op);
    const Maybe<T> before = chain_tile(chain, tile, tile_sum.value, init, op);
    if (lane_id() == 0) *before_tile = before;
  }
  __syncthreads();

  Maybe<T> before = *before_tile;
  for (u32 k = 0; k < warp; ++k) before = combine(before, warp_sums[k], op);
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    const u64 i = first + k * warp_size;
    if (i >= n) break;
    const Maybe<T> through = combine(before, row[k], op);
    out[i] = inclusive ? through.value : combine(before, exclusive[k], op).value;
    if (total != nullptr && i == n - 1) *total = through.value;
  }
}

template <bool inclusive, class T, class Input, class Op>
void scan(const Executor& ex, const char* label, u64 n, Input input, Maybe<T> init, Op op, T* out, T* total) {
  static_assert(sizeof(T) <= 32);
  ScratchArena::Frame frame(ex.scratch);
  const u64 tile_count = divide_rounding_up(n, scan_tile<T>);
  u32* words = frame.allocate<u32>(1 + tile_count);
  const TileChain<T> chain{words, words + 1, frame.allocate<T>(tile_count), frame.allocate<T>(tile_count)};
  fill_bytes(ex, label, words, 1 + tile_count, 0);
  launch(ex, label, scan_kernel<inclusive, T, Input, Op>, {tile_count, scan_threads}, n, input, init, op, out,
         total, chain);
}

template <class T>
__global__ void store_kernel(T value, T* out) {
  *out = value;
}

}  // namespace detail

template <class T>
u64 scan_scratch_bytes(const Executor&, u64 n) {
  const u64 tile_count = divide_rounding_up(n, detail::scan_tile<T>);
  return ScratchArena::bytes_for<u32>(1 + tile_count) + 2 * ScratchArena::bytes_for<T>(tile_count);
}

/// Contract: primitives/scan.h.
template <class T, class Input, class Op>
void inclusive_scan(const Executor& ex, const char* label, u64 n, Input input, Op op, T* out) {
  if (n == 0) return;
  detail::scan<true>(ex, label, n, input, detail::Maybe<T>{T{}, false}, op, out, static_cast<T*>(nullptr));
}

/// Contract: primitives/scan.h.
template <class T, class Input, class Op>
void exclusive_scan(const Executor& ex, const char* label, u64 n, Input input, T init, Op op, T* out,
                    T* total = nullptr) {
  if (n == 0) {
    if (total != nullptr) launch(ex, label, detail::store_kernel<T>, {1, 1}, init, total);
    return;
  }
  detail::scan<false>(ex, label, n, input, detail::Maybe<T>{init, true}, op, out, total);
}

}  // namespace copse::cuda
