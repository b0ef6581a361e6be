#pragma once

// There are two launches, because the elements of the second side have no places until the size of the first side
// is known. So all elements must be read twice, or half of them written twice: 12 bytes per element of 4 bytes.
// CUB needs 8, because it puts the second side in reverse order. Reading twice is the faster of the two ways. So
// the first launch only reads, and stores the place of every chunk of tiles, so that the second needs no
// look-back. The second launch starts at the end, where the first stopped and much is still in the cache. bench:
// copse-bench-primitives, partition/.

#include "primitives/core/atomic.h"
#include "primitives/cuda/for_each.cuh"
#include "primitives/select/moves.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u64 max_partition_chunks = 2048;

/// The tiles of the input, in chunks, one per block.
struct PartitionChunks {
  u64 n, tile_count, tiles_each, count;

  static PartitionChunks of(u64 n, u64 tile_size) {
    const u64 tile_count = divide_rounding_up(n, tile_size);
    const u64 tiles_each = divide_rounding_up(tile_count, max_partition_chunks);
    return {n, tile_count, tiles_each, divide_rounding_up(tile_count, tiles_each)};
  }
  __device__ u64 begin(u64 chunk) const { return chunk * tiles_each; }
  __device__ u64 end(u64 chunk) const { return smaller((chunk + 1) * tiles_each, tile_count); }
};

/// Replaces the count of each chunk, before[chunk], by the sum of the counts before it, and stores the sum of all
/// in *total. Called by one block.
__device__ inline void sum_chunk_counts(u64* before, u64 chunk_count, u64* total) {
  constexpr u32 share = u32(max_partition_chunks / select_threads);
  __shared__ BlockStorage<u64, select_threads> storage;
  u64 counts[share], sum = 0;
#pragma unroll
  for (u32 k = 0; k < share; ++k) {
    const u64 chunk = threadIdx.x * share + k;
    counts[k] = chunk < chunk_count ? before[chunk] : 0;
    sum += counts[k];
  }
  const BlockScan<u64> scan = block_inclusive_scan<select_threads>(sum, Plus{}, storage);
  u64 place = scan.inclusive - sum;
#pragma unroll
  for (u32 k = 0; k < share; ++k) {
    const u64 chunk = threadIdx.x * share + k;
    if (chunk < chunk_count) before[chunk] = place;
    place += counts[k];
  }
  if (threadIdx.x == 0) *total = scan.total;
}

/// Counts the selected elements of each chunk. The block that ends last sums the counts.
template <class Moves>
__global__ void __launch_bounds__(select_threads, select_blocks)
    partition_count_kernel(const Moves moves, const PartitionChunks chunks, u64* before, u64* total,
                           u32* finished) {
  using Shape = typename Moves::Shape;
  __shared__ unsigned long long of_block;
  __shared__ bool is_last;
  overlap_launches();
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();

  unsigned long long count = 0;
  for (u64 tile = chunks.begin(blockIdx.x); tile < chunks.end(blockIdx.x); ++tile) {
    typename Moves::Loaded loaded;
    moves.load(loaded, tile, chunks.n);
    u32 selected[Shape::rows];
    find_selected(moves, loaded, tile, chunks.n, selected);
#pragma unroll
    for (u32 r = 0; r < Shape::rows; ++r) count += u32(__popc(selected[r]));
  }
  count = warp_reduce(u64(count), Plus{});
  if (lane_id() == 0) atomicAdd(&of_block, count);
  __syncthreads();
  if (threadIdx.x == 0) {
    before[blockIdx.x] = of_block;
    is_last = fetch_add_acq_rel(finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  sum_chunk_counts(before, chunks.count, total);
  if (threadIdx.x == 0) *finished = 0;
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

/// Moves the tiles of a chunk, from the last to the first. The first block has the last chunk.
template <class Moves>
__global__ void __launch_bounds__(select_threads, select_blocks)
    partition_move_kernel(const Moves moves, const PartitionChunks chunks, const u64* before, const u64* total) {
  using Shape = typename Moves::Shape;
  __shared__ alignas(16) unsigned char staged_memory[Shape::size * sizeof(typename Moves::Staged)];
  __shared__ BlockStorage<u32, select_threads> warp_totals;
  auto* staged = reinterpret_cast<typename Moves::Staged*>(staged_memory);

  overlap_launches();
  const u64 chunk = chunks.count - 1 - blockIdx.x;
  const u64 first_tile = chunks.begin(chunk);
  const u64 selected_in_all = *total;
  u64 selected_through = chunk + 1 < chunks.count ? before[chunk + 1] : selected_in_all;
  u64 tile = chunks.end(chunk) - 1;
  typename Moves::Loaded loaded;
  moves.load(loaded, tile, chunks.n);
  for (;; --tile) {
    const u64 first = tile * Shape::size;
    const u32 tile_elements = u32(smaller(chunks.n - first, u64{Shape::size}));
    u32 selected[Shape::rows];
    find_selected(moves, loaded, tile, chunks.n, selected);
    const SelectedRanks<Shape> ranks = rank_selected<Shape>(selected, warp_totals);
    stage_both_sides(moves, loaded, selected, ranks, tile_elements, staged);
    __syncthreads();
    if (tile > first_tile) moves.load(loaded, tile - 1, chunks.n);

    const u64 selected_before = selected_through - ranks.total;
    store_staged(moves, staged, ranks.total, selected_before, tile);
    store_staged(moves, staged + ranks.total, tile_elements - ranks.total,
                 selected_in_all + first - selected_before, tile);
    if (tile == first_tile) return;
    selected_through = selected_before;
  }
}

template <class Moves>
void partition_with(const Executor& ex, const char* label, u64 n, const Moves& moves, u64* count) {
  ScratchArena::Frame frame(ex.scratch);
  const PartitionChunks chunks = PartitionChunks::of(n, Moves::Shape::size);
  u64* before = frame.allocate<u64>(max_partition_chunks);
  {
    ZeroedMemory::Scope zeroed(ex.zeroed);
    launch(ex, label, partition_count_kernel<Moves>,
           {.blocks = chunks.count, .threads = select_threads, .overlaps_earlier_launch = true}, moves, chunks,
           before, count, static_cast<u32*>(zeroed.data()));
    zeroed.leaves_zero();
  }
  launch(ex, label, partition_move_kernel<Moves>,
         {.blocks = chunks.count, .threads = select_threads, .overlaps_earlier_launch = true}, moves, chunks,
         before, count);
}

}  // namespace detail

/// Contract: primitives/partition.h.
template <class T>
u64 partition_scratch_bytes(const Executor&, u64) {
  return ScratchArena::bytes_for<u64>(detail::max_partition_chunks);
}

/// Contract: primitives/partition.h.
template <class Predicate, class Emit>
void partition_each(const Executor& ex, const char* label, u64 n, Predicate predicate, Emit emit, u64* count) {
  if (n == 0) return fill_bytes(ex, label, count, 1, 0);
  detail::partition_with(ex, label, n, detail::MoveIndices<Predicate, Emit>{predicate, emit}, count);
}

/// Contract: primitives/partition.h.
template <class T, class Predicate, class Input>
void partition(const Executor& ex, const char* label, u64 n, Predicate predicate, Input input, T* out,
               u64* count) {
  if (n == 0) return fill_bytes(ex, label, count, 1, 0);
  detail::with_moves(predicate, input, out,
                     [&](const auto& moves) { detail::partition_with(ex, label, n, moves, count); });
}

}  // namespace copse::cuda
