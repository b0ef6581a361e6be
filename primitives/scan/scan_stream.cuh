#pragma once

// Scans a large array at the speed of memory. Persistent blocks stream tiles through shared memory by bulk copies.
// The warps of a block have different tasks.
//
//   producer   starts the copies of tiles, `stream_stages` ahead
//   consumers  sum a tile, and write the previous tile, which they hold in registers, once its prefix is known
//   publisher  publishes the sum of a tile for other blocks as soon as it is known
//   prefix     sums the tiles of all blocks since the last tile of this block
//
// Tiles publish only their sums: each block adds up all sums from tile to tile, and no block waits for the prefix
// of another. This is the "look-ahead" of newer versions of CUB for newer GPUs. Sums are published and read as in
// look_back.cuh.

#include "primitives/loops/team.cuh"
#include "primitives/scan/bulk_copy.cuh"
#include "primitives/scan/scan_tiles.cuh"

namespace copse::cuda::detail {

/// The number of consumer warps. Wide elements need more registers per warp.
template <class T>
inline constexpr u32 stream_consumers = sizeof(T) <= 8 ? 20 : 16;

template <class T>
inline constexpr u32 stream_threads = (stream_consumers<T> + 3) * warp_size;

inline constexpr u32 stream_stages = 3;

/// The registers that a pack takes, together with the sum before it.
template <class T>
inline constexpr u32 registers_per_pack = (pack_size<T> * sizeof(T) + larger<u32>(sizeof(T), 4)) / 4;

/// Packs per lane: those of two tiles must fit the registers.
template <class T>
inline constexpr u32 stream_rows = larger<u32>(1, (sizeof(T) <= 8 ? 25 : 36) / registers_per_pack<T>);

template <class T>
inline constexpr u64 stream_tile = u64{stream_consumers<T>} * u64{warp_size} * u64{stream_rows<T>} * pack_size<T>;

template <class T>
struct StreamShared {
  alignas(128) uint4 tile[stream_stages][stream_tile<T> * sizeof(T) / sizeof(uint4)];
  BlockStorage<T, stream_consumers<T> * warp_size> warp_sums[stream_stages], before_warps[stream_stages];
  SharedBarrier full[stream_stages];   // the tile is there
  SharedBarrier empty[stream_stages];  // no warp needs the tile and its sums any more
  SharedBarrier summed[stream_stages];
  SharedBarrier prefixed[stream_stages];
  u32 first_tile, team_size;
};

template <class T>
inline constexpr u32 stream_shared_bytes = sizeof(StreamShared<T>) + 128;

/// The position of a warp in the tiles of its block and in the stages.
struct StreamPosition {
  u32 tile, team_size;
  u32 stage = 0, parity = 0;

  __device__ void advance() {
    tile += team_size;
    if (++stage == stream_stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// Starts the copy of a tile. The last tile, which may not be full, is not copied: consumers read it from global
/// memory.
template <class T>
__device__ void start_copy(const T* in, const TileChain<T>& chain, const StreamPosition& at,
                           StreamShared<T>& shared) {
  if (at.tile + 1 == chain.tile_count) {
    shared.full[at.stage].arrive();
  } else {
    constexpr u32 bytes = stream_tile<T> * sizeof(T);
    shared.full[at.stage].arrive_expecting(bytes);
    shared.full[at.stage].copy_here(shared.tile[at.stage], in + u64(at.tile) * stream_tile<T>, bytes);
  }
}

/// Joins the team, and starts the copy of the first tile before it waits for the other blocks. One thread calls
/// it.
template <class T>
__device__ void start_stream(const T* in, const TileChain<T>& chain, StreamShared<T>& shared) {
  shared.first_tile = start_in_team(chain.ticket);
  if (shared.first_tile >= chain.tile_count) return;
  start_copy(in, chain, {shared.first_tile, 0}, shared);
  shared.team_size = settle_team(chain.ticket);
}

template <class T>
__device__ void produce_tiles(const T* in, const TileChain<T>& chain, StreamPosition at, StreamShared<T>& shared) {
  if (lane_id() != 0) return;
  at.advance();  // start_stream has started the first one
  for (u32 round = 1; at.tile < chain.tile_count; ++round, at.advance()) {
    if (round >= stream_stages) shared.empty[at.stage].wait(at.parity ^ 1);
    start_copy(in, chain, at, shared);
  }
}

/// Returns the inclusive scan of the sums of the consumer warps, one sum per lane.
template <class T, class Op>
__device__ T scan_warp_sums(StreamShared<T>& shared, const StreamPosition& at, Op op) {
  shared.summed[at.stage].wait(at.parity);
  return warp_inclusive_scan(shared.warp_sums[at.stage][smaller(lane_id(), stream_consumers<T> - 1)], op);
}

template <class T, class Op>
__device__ void publish_tiles(const TileChain<T>& chain, StreamPosition at, StreamShared<T>& shared, Op op) {
  for (; at.tile < chain.tile_count; at.advance()) {
    const T sum = scan_warp_sums(shared, at, op);
    if (lane_id() == stream_consumers<T> - 1) publish(chain, at.tile, TileStatus::has_sum, sum);
    __syncwarp();
    if (lane_id() == 0) shared.empty[at.stage].arrive();
  }
}

/// Returns, in lane 0, the sum of the values of the first `count` lanes, in order.
template <class T, class Op>
__device__ T sum_first_lanes(T value, u64 count, Op op) {
#pragma unroll
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    const T above = shuffle_down(value, distance);
    if (lane_id() + distance < count) value = op(value, above);
  }
  return value;
}

/// Returns to all lanes the sum of the tiles [begin, end), in order. The range must not be empty.
template <class T, class Op>
__device__ T sum_tiles(const TileChain<T>& chain, u64 begin, u64 end, Op op) {
  // All blocks poll the same words: rows of neighbouring tiles. A tile that has been read is not read again.
  constexpr u32 rows = sizeof(T) <= 8 ? 5 : 2;
  T sum{};
  for (u64 base = begin; base < end; base += rows * warp_size) {
    T values[rows];
    bool pending[rows];
#pragma unroll
    for (u32 k = 0; k < rows; ++k) pending[k] = base + k * warp_size + lane_id() < end;
    bool any_pending = true;
    while (__any_sync(all_lanes, any_pending)) {
      any_pending = false;
#pragma unroll
      for (u32 k = 0; k < rows; ++k) {
        if (!pending[k]) continue;
        pending[k] = read_tile(chain, base + k * warp_size + lane_id(), values[k]) == TileStatus::pending;
        any_pending |= pending[k];
      }
    }
    if constexpr (commutes<Op, T>) {
      // Add the rows first, so that one tree sums all of them.
#pragma unroll
      for (u32 k = 1; k < rows; ++k) {
        if (base + k * warp_size + lane_id() < end) values[0] = op(values[0], values[k]);
      }
    }
#pragma unroll
    for (u32 k = 0; k < (commutes<Op, T> ? 1 : rows); ++k) {
      const u64 first = base + k * warp_size;
      if (first >= end) break;
      const T row_sum = sum_first_lanes(values[k], end - first, op);
      sum = first == begin ? row_sum : op(sum, row_sum);
    }
  }
  return shuffle_from(sum, 0);
}

template <bool has_init, class T, class Op>
__device__ void find_prefixes(const TileChain<T>& chain, StreamPosition at, StreamShared<T>& shared, T init,
                              Op op) {
  T before = init;  // the prefix of the first tile that is not added yet
  u64 folded = 0;
  for (; at.tile < chain.tile_count; at.advance()) {
    // Most of the earlier sums are published by the time that the tile is here, so few have to be polled twice.
    shared.full[at.stage].wait(at.parity);
    if (lane_id() == 0) shared.empty[at.stage].arrive();
    if (folded < at.tile) {
      const T more = sum_tiles(chain, folded, at.tile, op);
      before = has_init || folded > 0 ? op(before, more) : more;
    }
    // These sums are used again three tiles later, after the consumers have seen the prefix of this tile.
    const T sum = scan_warp_sums(shared, at, op);
    const T below = shuffle_up(sum, 1);
    const bool has_before = has_init || at.tile > 0;
    if (lane_id() < stream_consumers<T>) {
      shared.before_warps[at.stage][lane_id()] =
          !has_before ? below : (lane_id() == 0 ? before : op(before, below));
    }
    __syncwarp();
    if (lane_id() == 0) shared.prefixed[at.stage].arrive();
    const T tile_sum = shuffle_from(sum, stream_consumers<T> - 1);
    before = has_before ? op(before, tile_sum) : tile_sum;
    folded = u64(at.tile) + 1;
  }
}

/// A tile that a consumer warp has summed but not yet written.
template <class T>
struct PendingTile {
  StreamPosition at;
  Pack<T> pack[stream_rows<T>];
  T left[stream_rows<T>];
};

template <bool inclusive, bool has_init, class T, class Op>
__device__ void write_tile(const ScanTask<T, Elements<T>, Op>& task, bool is_last, u32 place,
                           const PendingTile<T>& tile, StreamShared<T>& shared) {
  const u32 warp = threadIdx.x / warp_size;
  shared.prefixed[tile.at.stage].wait(tile.at.parity);
  const T before = shared.before_warps[tile.at.stage][warp];
  const u64 first = tile.at.tile * stream_tile<T> + place;
  if (is_last || (!has_init && tile.at.tile == 0)) {
    store_rows_of_warp<inclusive>(task, first, tile.pack, tile.left, has_init || tile.at.tile > 0 || warp > 0,
                                  before);
    return;
  }
#pragma unroll
  for (u32 k = 0; k < stream_rows<T>; ++k) {
    const T prefix = k > 0 || lane_id() > 0 ? task.op(before, tile.left[k]) : before;
    scan_pack<inclusive>(tile.pack[k], true, prefix, task.op)
        .stream_words_to(reinterpret_cast<uint4*>(task.out + first) + k * warp_size * Pack<T>::word_count);
  }
}

template <bool inclusive, bool has_init, class T, class Op>
__device__ void consume_tiles(const ScanTask<T, Elements<T>, Op>& task, u64 tile_count, StreamPosition at,
                              StreamShared<T>& shared) {
  const u32 warp = threadIdx.x / warp_size;
  const u32 place = (warp * stream_rows<T> * warp_size + lane_id()) * pack_size<T>;
  PendingTile<T> pending;
  pending.at.tile = no_rank;
  for (;; at.advance()) {
    PendingTile<T> next;
    next.at = at;
    if (at.tile < tile_count) {
      shared.full[at.stage].wait(at.parity);
      const u64 first = at.tile * stream_tile<T> + place;
#pragma unroll
      for (u32 k = 0; k < stream_rows<T>; ++k) {
        const u32 offset = k * warp_size * pack_size<T>;
        if (at.tile + 1 == tile_count) {
          next.pack[k] = load_pack<T>(task.input, first + offset, task.n, true);
        } else {
          next.pack[k].load_words(shared.tile[at.stage] + (place + offset) * sizeof(T) / sizeof(uint4));
        }
      }
      __syncwarp();
      if (lane_id() == 0) shared.empty[at.stage].arrive();
      const T sum = scan_rows_of_warp(next.pack, next.left, task.op);
      if (lane_id() == 0) {
        shared.warp_sums[at.stage][warp] = sum;
        shared.summed[at.stage].arrive();
      }
    }
    if (pending.at.tile < tile_count) {
      write_tile<inclusive, has_init>(task, pending.at.tile + 1 == tile_count, place, pending, shared);
    }
    if (at.tile >= tile_count) return;
    pending = next;
  }
}

template <bool inclusive, bool has_init, class T, class Op>
__global__ void __launch_bounds__(stream_threads<T>, 1)
    scan_stream_kernel(const ScanTask<T, Elements<T>, Op> task, TileChain<T> chain) {
  extern __shared__ unsigned char memory[];
  auto& shared = *reinterpret_cast<StreamShared<T>*>((reinterpret_cast<u64>(memory) + 127) / 128 * 128);
  if (threadIdx.x == 0) {
    for (u32 stage = 0; stage < stream_stages; ++stage) {
      shared.full[stage].init(1);
      shared.empty[stage].init(stream_consumers<T> + 2);  // + 2: publisher and prefix
      shared.summed[stage].init(stream_consumers<T>);
      shared.prefixed[stage].init(1);
    }
    SharedBarrier::publish_inits();
    overlap_launches();
    start_stream(task.input.data, chain, shared);
  }
  __syncthreads();

  const u32 warp = threadIdx.x / warp_size;
  const StreamPosition start{shared.first_tile, shared.team_size};
  if (warp < stream_consumers<T>) {
    consume_tiles<inclusive, has_init>(task, chain.tile_count, start, shared);
  } else if (warp == stream_consumers<T>) {
    produce_tiles(task.input.data, chain, start, shared);
  } else if (warp == stream_consumers<T> + 1) {
    publish_tiles(chain, start, shared, task.op);
  } else {
    find_prefixes<has_init>(chain, start, shared, task.init, task.op);
  }
  leave_chain(chain);
}

}  // namespace copse::cuda::detail
