#pragma once

// Tickets of whole blocks: kept elements of a tile are packed in shared memory, take one ticket, and are stored in
// whole lines. bench: copse-bench-primitives, enqueue/.

#include "primitives/cuda/block.cuh"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/moves.cuh"
#include "primitives/double_queue.h"
#include "primitives/enqueue.h"

namespace copse::cuda {

/// Takes places for `count` elements of each thread of the block, by one ticket, and returns the first of the
/// calling thread, for store(place + k, ...). Called by all threads, who meet in it; in the order of the threads.
/// `storage` may be used again after the next __syncthreads.
template <u32 threads, class T>
__device__ u64 reserve_by_block(const QueueView<T>& queue, u32 count, BlockStorage<u32, threads>& storage) {
  __shared__ u64 first;
  const BlockSum sum = block_exclusive_sum<threads>(count, storage);
  if (threadIdx.x == 0) first = sum.total > 0 ? queue.reserve(sum.total) : 0;
  __syncthreads();
  return first + sum.before;
}

namespace detail {

/// Blocks that wait for memory or a ticket, and for which others work meanwhile; a fourth would take registers.
inline constexpr u32 enqueue_blocks = 3;

/// Packs the flagged elements of a tile, by rank.
template <class Moves>
__device__ void pack_tile(const Moves& moves, const typename Moves::Loaded& loaded,
                          const u32 (&kept)[Moves::Shape::rows], const KeptRanks<typename Moves::Shape>& ranks,
                          typename Moves::Staged* staged) {
#pragma unroll
  for (u32 r = 0; r < Moves::Shape::rows; ++r) {
    u32 rank = ranks.before[r];
#pragma unroll
    for (u32 k = 0; k < Moves::Shape::pack; ++k) {
      if ((kept[r] >> k & 1) != 0) staged[rank++] = moves.staged(loaded, r, k);
    }
  }
}

template <class Moves>
__global__ void __launch_bounds__(keep_threads, enqueue_blocks)
    enqueue_kernel(const Moves moves, u64 n, u64 tile_count, u64 capacity, u64* pushed) {
  using Shape = typename Moves::Shape;
  extern __shared__ uint4 enqueue_memory[];
  __shared__ BlockStorage<u32, keep_threads> warp_totals;
  __shared__ u64 shared_place;
  auto* const staged = reinterpret_cast<typename Moves::Staged*>(enqueue_memory);

  for (u64 tile = blockIdx.x; tile < tile_count; tile += gridDim.x) {
    typename Moves::Loaded loaded;
    moves.load(loaded, tile, n);
    u32 kept[Shape::rows];
    find_kept(moves, loaded, tile, n, kept);
    const KeptRanks<Shape> ranks = rank_kept<Shape>(kept, warp_totals);
    if (threadIdx.x == 0) shared_place = ranks.total > 0 ? fetch_add_relaxed(pushed, u64{ranks.total}) : 0;
    pack_tile(moves, loaded, kept, ranks, staged);
    __syncthreads();

    // What has no place any more is counted as pushed, and left out.
    const u64 place = shared_place;
    const u64 room = place < capacity ? capacity - place : 0;
    store_staged(moves, staged, u32(smaller(u64{ranks.total}, room)), place, tile);
    __syncthreads();
  }
}

template <class Moves>
void enqueue_with(const Executor& ex, const char* label, u64 n, const Moves& moves, u64 capacity, u64* pushed) {
  const u64 tile_count = divide_rounding_up(n, Moves::Shape::size);
  constexpr u32 shared_bytes = Moves::Shape::size * sizeof(typename Moves::Staged);
  const u64 block_count = smaller(tile_count, u64{enqueue_blocks} * ex.multiprocessor_count);
  launch(ex, label, enqueue_kernel<Moves>, {block_count, keep_threads, shared_bytes}, moves, n, tile_count,
         capacity, pushed);
}

inline constexpr u32 enqueue_both_threads = 256;
inline constexpr u32 enqueue_both_rows = 16;
inline constexpr u64 enqueue_both_tile = enqueue_both_threads * enqueue_both_rows;

/// Each warp has neighbouring elements, a row of 32 at a time, so that what goes to one side is stored to
/// neighbouring places. `keep` is asked once; `input` is asked when the places are known.
template <class T, class Keep, class Input>
__global__ void __launch_bounds__(enqueue_both_threads)
    enqueue_both_kernel(u64 n, const Keep keep, const Input input, const DoubleQueueView<T> queues) {
  __shared__ u32 fronts_of_warp[enqueue_both_threads / warp_size];
  __shared__ DoubleTicket ticket;
  const u32 warp = threadIdx.x / warp_size;
  const u64 tile = u64{blockIdx.x} * enqueue_both_tile;
  const u64 first = tile + warp * (warp_size * enqueue_both_rows) + lane_id();

  u32 votes[enqueue_both_rows], fronts = 0;
#pragma unroll
  for (u32 r = 0; r < enqueue_both_rows; ++r) {
    const u64 i = first + r * warp_size;
    votes[r] = __ballot_sync(all_lanes, i < n && keep(i));
    fronts += u32(__popc(votes[r]));
  }
  if (lane_id() == 0) fronts_of_warp[warp] = fronts;
  __syncthreads();

  u32 front = 0, total = 0;
#pragma unroll
  for (u32 w = 0; w < enqueue_both_threads / warp_size; ++w) {
    if (w == warp) front = total;
    total += fronts_of_warp[w];
  }
  if (threadIdx.x == 0) ticket = queues.reserve(total, u32(smaller(n - tile, enqueue_both_tile)) - total);
  __syncthreads();

  // Of the elements before a place, those that do not go to the front go to the back.
#pragma unroll
  for (u32 r = 0; r < enqueue_both_rows; ++r) {
    const u64 i = first + r * warp_size;
    const u32 front_rank = front + u32(__popc(votes[r] & lower_lanes()));
    if (i < n && (votes[r] >> lane_id() & 1) != 0) queues.store_front(ticket, front_rank, input(i));
    if (i < n && (votes[r] >> lane_id() & 1) == 0) queues.store_back(ticket, u32(i - tile) - front_rank, input(i));
    front += u32(__popc(votes[r]));
  }
}

}  // namespace detail

/// Contract: primitives/enqueue.h.
template <class T, class Keep, class Input>
void enqueue_if(const Executor& ex, const char* label, u64 n, Keep keep, Input input, QueueView<T> queue) {
  if (n == 0) return;
  detail::with_moves(keep, input, queue.data(), [&](const auto& moves) {
    detail::enqueue_with(ex, label, n, moves, queue.capacity(), queue.pushed());
  });
}

/// Contract: primitives/double_queue.h.
template <class T, class Keep, class Input>
void enqueue_both(const Executor& ex, const char* label, u64 n, Keep keep, Input input,
                  DoubleQueueView<T> queues) {
  using KeepIndex = copse::detail::KeepByIndex<T, Keep, Input>;
  launch(ex, label, detail::enqueue_both_kernel<T, KeepIndex, Input>,
         {divide_rounding_up(n, detail::enqueue_both_tile), detail::enqueue_both_threads}, n,
         KeepIndex{keep, input}, input, queues);
}

}  // namespace copse::cuda
