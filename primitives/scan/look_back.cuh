#pragma once

// Decoupled look-back: the tiles of one launch publish their sums, so that each tile can compute its prefix
// (Merrill, Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA 2016).
//
// Where we differ: a value is cut into words of 32 bits. Each of them is stored with its status in one word of 64
// bits, which is loaded and stored in one piece. So a value of any size needs no fence and no order between its
// words: a reader takes the value once all of its words have the same status.
//
//   63 .. 32 | 31 .. 0
//   status   | word of the value

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda {

enum class TileStatus : u32 { pending = 0, has_sum = 1, has_prefix = 2 };

/// The table in which the tiles of a launch publish their sums. It is zero before the launch, and after it if the
/// launch clears it.
template <class T>
struct TileChain {
  static constexpr u32 word_count = (sizeof(T) + 3) / 4;

  u32* ticket;
  u32* finished;
  u64* words;  // [word of the value][tile]
  u64 tile_count;
  bool clears_itself;

  static constexpr u64 bytes_for(u64 tile_count) { return 16 + tile_count * word_count * sizeof(u64); }
  static TileChain at(void* memory, u64 tile_count, bool clears_itself) {
    u32* counters = static_cast<u32*>(memory);
    return {counters, counters + 1, reinterpret_cast<u64*>(counters + 4), tile_count, clears_itself};
  }
};

namespace detail {

template <class T>
__device__ void publish(const TileChain<T>& chain, u64 tile, TileStatus status, const T& value) {
  u32 words[TileChain<T>::word_count] = {};
  memcpy(words, &value, sizeof(T));
#pragma unroll
  for (u32 k = 0; k < TileChain<T>::word_count; ++k) {
    store_relaxed(chain.words + k * chain.tile_count + tile, u64(status) << 32 | words[k]);
  }
}

/// Returns the status of a tile, and stores its value unless that is pending.
template <class T>
__device__ TileStatus read_tile(const TileChain<T>& chain, u64 tile, T& value) {
  u32 words[TileChain<T>::word_count];
  u32 status = 0;
  bool agree = true;
#pragma unroll
  for (u32 k = 0; k < TileChain<T>::word_count; ++k) {
    const u64 word = load_relaxed(chain.words + k * chain.tile_count + tile);
    words[k] = u32(word);
    if (k == 0) status = u32(word >> 32);
    agree = agree && status == u32(word >> 32);
  }
  memcpy(&value, words, sizeof(T));
  return agree ? TileStatus(status) : TileStatus::pending;
}

}  // namespace detail

/// Returns the number of the tile of the calling block, by ticket. So a tile waits only for tiles that already
/// run, in whatever order the hardware starts blocks. If the GPU has room for all blocks at once, every block
/// runs, and the number of the block saves the time of a ticket.
template <class T>
__device__ u32 take_tile(const TileChain<T>& chain, bool all_blocks_resident) {
  __shared__ u32 shared_tile;
  if (all_blocks_resident) return blockIdx.x;
  if (threadIdx.x == 0) shared_tile = fetch_add_relaxed(chain.ticket, 1u);
  __syncthreads();
  return shared_tile;
}

/// Returns the sum of all tiles before `tile`, which must be above 0, to all lanes of the calling warp.
template <class T, class Op>
__device__ T look_back(const TileChain<T>& chain, u64 tile, Op op) {
  T sum{};
  bool there = false;
  for (i64 newest = i64(tile) - 1;;) {
    // Lane 0 reads the newest tile. Use the lanes up to the first whose tile has its whole prefix, once all of
    // these tiles are published.
    const i64 id = newest - lane_id();
    T value{};
    const TileStatus status = id >= 0 ? detail::read_tile(chain, u64(id), value) : TileStatus::has_prefix;
    const u32 prefix_lanes = __ballot_sync(all_lanes, status == TileStatus::has_prefix);
    const u32 pending_lanes = __ballot_sync(all_lanes, status == TileStatus::pending);
    const u32 last = prefix_lanes == 0 ? warp_size - 1 : u32(__ffs(int(prefix_lanes))) - 1;
    if ((pending_lanes & (all_lanes >> (warp_size - 1 - last))) != 0) continue;

      // Older tiles stand in higher lanes, so the values of higher lanes go on the left.
#pragma unroll
    for (u32 distance = 1; distance < warp_size; distance *= 2) {
      const T older = shuffle_down(value, distance);
      if (lane_id() + distance <= last) value = op(older, value);
    }
    value = shuffle_from(value, 0);
    sum = there ? op(value, sum) : value;
    there = true;
    if (prefix_lanes != 0) return sum;
    newest -= warp_size;
  }
}

/// Publishes the sum of the first tile, which is also the prefix of the second.
template <class T>
__device__ void open_chain(const TileChain<T>& chain, const T& sum) {
  if (lane_id() == 0) detail::publish(chain, 0, TileStatus::has_prefix, sum);
}

/// Joins a tile above 0 to the chain, and returns its prefix. One whole warp of the block calls it.
template <class T, class Op>
__device__ T join_chain(const TileChain<T>& chain, u64 tile, const T& sum, Op op) {
  if (lane_id() == 0) detail::publish(chain, tile, TileStatus::has_sum, sum);
  const T before = look_back(chain, tile, op);
  if (lane_id() == 0) detail::publish(chain, tile, TileStatus::has_prefix, op(before, sum));
  return before;
}

/// Counts a block that is done with the chain. One warp of each block calls it. The result, in lane 0, is for
/// clear_chain. Other work between the two calls hides the time that the counter takes.
template <class T>
__device__ u32 sign_off(const TileChain<T>& chain) {
  u32 earlier = 0;
  if (chain.clears_itself && lane_id() == 0) earlier = fetch_add_acq_rel(chain.finished, 1u);
  return earlier;
}

/// Clears a chain that clears itself, for the next launch, if this block was the last of all. The warp that called
/// sign_off calls it.
template <class T>
__device__ void clear_chain(const TileChain<T>& chain, u32 earlier) {
  if (!chain.clears_itself || shuffle_from(earlier, 0) != gridDim.x - 1) return;
  for (u64 k = lane_id(); k < chain.tile_count * TileChain<T>::word_count; k += warp_size) chain.words[k] = 0;
  if (lane_id() == 0) *chain.ticket = *chain.finished = 0;
}

/// Signs off and clears the chain. All threads of the block call it.
template <class T>
__device__ void leave_chain(const TileChain<T>& chain) {
  __syncthreads();
  if (threadIdx.x < warp_size) clear_chain(chain, sign_off(chain));
}

}  // namespace copse::cuda
