#pragma once

// A partition in one launch. The elements of the second side have no places until the size of the first side is
// known. So all elements must be read twice, or half of them written twice: 12 bytes per element of 4 bytes. CUB
// needs 8, because it puts the second side in reverse order. Reading twice is the faster of the two ways.
//
// Each block has a chunk of tiles. It counts the selected elements of the chunk, publishes the count, and waits
// for the counts of all chunks. Then it moves its tiles, from the last to the first: the last one is still in its
// registers, and others are still in the cache. A block waits only for blocks that have started (team.cuh), so the
// launch ends even where other work holds some multiprocessors. bench: copse-bench-primitives, partition/.

#include "primitives/core/atomic.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/loops/team.cuh"
#include "primitives/select/moves.cuh"

namespace copse::cuda::detail {

/// The tiles of the input, in chunks.
struct PartitionChunks {
  u64 n, tile_count, tiles_each, count;

  static PartitionChunks of(u64 n, u64 tile_size, u64 max_count) {
    const u64 tile_count = divide_rounding_up(n, tile_size);
    const u64 tiles_each = divide_rounding_up(tile_count, max_count);
    return {n, tile_count, tiles_each, divide_rounding_up(tile_count, tiles_each)};
  }
  __device__ u64 begin(u64 chunk) const { return chunk * tiles_each; }
  __device__ u64 end(u64 chunk) const { return smaller((chunk + 1) * tiles_each, tile_count); }
};

/// The counters that the blocks of a launch share. Zero before and after the launch.
struct PartitionTeam {
  u32* started;  // team.cuh
  u32* left;     // blocks that have ended
  u64* counts;   // [chunk] its selected elements and 1, or 0 until they are counted

  static constexpr u64 max_chunks = 4096;

  static PartitionTeam at(void* memory) {
    u32* words = static_cast<u32*>(memory);
    return {words, words + 1, reinterpret_cast<u64*>(words + 2)};
  }
};

/// The selected elements before a chunk, in it, and in all chunks.
struct ChunkPlace {
  u64 before, own, total;
};

/// Waits until all chunks are counted. All threads of the block call it.
__device__ inline ChunkPlace place_chunk(const PartitionTeam& team, u64 chunk_count, u64 chunk) {
  __shared__ unsigned long long before, total;
  if (threadIdx.x == 0) before = total = 0;
  __syncthreads();
  u64 my_before = 0, my_total = 0;
  for (u64 k = threadIdx.x; k < chunk_count; k += select_threads) {
    u64 word = 0;
    while (word == 0) word = load_relaxed(team.counts + k);
    my_total += word - 1;
    if (k < chunk) my_before += word - 1;
  }
  my_before = warp_reduce(my_before, Plus{});
  my_total = warp_reduce(my_total, Plus{});
  if (lane_id() == 0) {
    atomicAdd(&before, static_cast<unsigned long long>(my_before));
    atomicAdd(&total, static_cast<unsigned long long>(my_total));
  }
  __syncthreads();
  return {before, load_relaxed(team.counts + chunk) - 1, total};
}

/// Counts the selected elements of a chunk. Returns the count to thread 0. `loaded` keeps the last tile. Ends with
/// a barrier.
template <class Moves>
__device__ u64 count_chunk(const Moves& moves, const PartitionChunks& chunks, u64 chunk,
                           typename Moves::Loaded& loaded) {
  using Shape = typename Moves::Shape;
  __shared__ unsigned long long of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  u64 count = 0;
  for (u64 tile = chunks.begin(chunk); tile < chunks.end(chunk); ++tile) {
    moves.load(loaded, tile, chunks.n);
    u32 selected[Shape::rows];
    find_selected(moves, loaded, tile, chunks.n, selected);
#pragma unroll
    for (u32 r = 0; r < Shape::rows; ++r) count += u32(__popc(selected[r]));
  }
  count = warp_reduce(count, Plus{});
  if (lane_id() == 0) atomicAdd(&of_block, static_cast<unsigned long long>(count));
  __syncthreads();
  return of_block;
}

/// Packs the two sides of a tile, one after the other.
template <class Moves>
__device__ void stage_both_sides(const Moves& moves, const typename Moves::Loaded& loaded,
                                 const u32 (&selected)[Moves::Shape::rows],
                                 const SelectedRanks<typename Moves::Shape>& ranks, u32 tile_elements,
                                 typename Moves::Staged* staged) {
  using Shape = typename Moves::Shape;
#pragma unroll
  for (u32 r = 0; r < Shape::rows; ++r) {
    u32 rank = ranks.before[r];
    u32 other_rank = ranks.total + Shape::local_id(r) - rank;
#pragma unroll
    for (u32 k = 0; k < Shape::pack; ++k) {
      const bool is_selected = (selected[r] >> k & 1) != 0;
      if (Shape::local_id(r) + k < tile_elements) {
        staged[is_selected ? rank : other_rank] = moves.staged(loaded, r, k);
      }
      rank += is_selected ? 1 : 0;
      other_rank += is_selected ? 0 : 1;
    }
  }
}

/// Moves the tiles of a chunk, from the last to the first. `loaded` holds the last.
template <class Moves>
__device__ void move_chunk(const Moves& moves, const PartitionChunks& chunks, u64 chunk, const ChunkPlace& place,
                           typename Moves::Loaded& loaded) {
  using Shape = typename Moves::Shape;
  __shared__ alignas(16) unsigned char staged_memory[Shape::size * sizeof(typename Moves::Staged)];
  __shared__ BlockStorage<u32, select_threads> warp_totals;
  auto* staged = reinterpret_cast<typename Moves::Staged*>(staged_memory);
  u64 selected_through = place.before + place.own;
  for (u64 tile = chunks.end(chunk) - 1;; --tile) {
    const u64 first = tile * Shape::size;
    const u32 tile_elements = u32(smaller(chunks.n - first, u64{Shape::size}));
    u32 selected[Shape::rows];
    find_selected(moves, loaded, tile, chunks.n, selected);
    const SelectedRanks<Shape> ranks = rank_selected<Shape>(selected, warp_totals);
    stage_both_sides(moves, loaded, selected, ranks, tile_elements, staged);
    __syncthreads();
    if (tile > chunks.begin(chunk)) moves.load(loaded, tile - 1, chunks.n);

    selected_through -= ranks.total;
    store_staged(moves, staged, ranks.total, selected_through, tile);
    store_staged(moves, staged + ranks.total, tile_elements - ranks.total, place.total + first - selected_through,
                 tile);
    if (tile == chunks.begin(chunk)) return;
  }
}

/// Ends the use of the team by a block. The last block sets it to zero.
__device__ inline void leave_team(const PartitionTeam& team, u64 chunk_count) {
  __shared__ bool is_last;
  __syncthreads();
  if (threadIdx.x == 0) is_last = fetch_add_acq_rel(team.left, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  for (u64 k = threadIdx.x; k < chunk_count; k += select_threads) team.counts[k] = 0;
  if (threadIdx.x == 0) *team.started = *team.left = 0;
}

/// The block of rank r has the chunks r, r + team size, and so on: one, unless some blocks could not start.
template <class Moves>
__global__ void __launch_bounds__(select_threads, select_blocks)
    partition_kernel(const Moves moves, const PartitionChunks chunks, const PartitionTeam team, u64* total) {
  __shared__ u32 shared_rank, shared_size;
  overlap_launches();
  if (threadIdx.x == 0) shared_rank = start_in_team(team.started);
  __syncthreads();
  const u64 rank = shared_rank;
  if (rank != no_rank) {
    typename Moves::Loaded loaded;
    u64 last = rank, size = 0;
    for (u64 chunk = rank; chunk < chunks.count; chunk += size) {
      const u64 count = count_chunk(moves, chunks, chunk, loaded);
      if (threadIdx.x == 0) {
        store_relaxed(team.counts + chunk, count + 1);
        shared_size = settle_team(team.started);
      }
      __syncthreads();
      size = shared_size;
      last = chunk;
    }
    for (u64 chunk = last;; chunk -= size) {
      const ChunkPlace place = place_chunk(team, chunks.count, chunk);
      if (chunk == 0 && threadIdx.x == 0) *total = place.total;
      if (chunk != last) moves.load(loaded, chunks.end(chunk) - 1, chunks.n);
      move_chunk(moves, chunks, chunk, place, loaded);
      if (chunk == rank) break;
      __syncthreads();
    }
  }
  leave_team(team, chunks.count);
}

}  // namespace copse::cuda::detail
