#pragma once

// Each block takes one ticket per tile. It packs the selected elements in shared memory, takes places for all of
// them at once, and stores whole lines. bench: copse-bench-primitives, enqueue/.

#include "primitives/cuda/block.cuh"
#include "primitives/cuda/launch.cuh"
#include "primitives/double_queue.h"
#include "primitives/enqueue.h"
#include "primitives/select/moves.cuh"

namespace copse::cuda {

/// Takes places for `count` elements of each thread of the block, by one ticket, in the order of the threads.
/// Returns the first place of the calling thread, for store(place + k, ...). All threads must call it, because it
/// contains a barrier. `storage` may be used again after the next __syncthreads.
template <u32 threads, class T>
__device__ u64 reserve_by_block(const QueueView<T>& queue, u32 count, BlockStorage<u32, threads>& storage) {
  __shared__ u64 first;
  const BlockSum sum = block_exclusive_sum<threads>(count, storage);
  if (threadIdx.x == 0) first = sum.total > 0 ? queue.reserve(sum.total) : 0;
  __syncthreads();
  return first + sum.before;
}

namespace detail {

/// Blocks per multiprocessor. While some wait for memory or a ticket, others work. A fourth would cost registers.
inline constexpr u32 enqueue_blocks = 3;

template <class Moves>
__global__ void __launch_bounds__(select_threads, enqueue_blocks)
    enqueue_kernel(const Moves moves, u64 n, u64 tile_count, u64 capacity, u64* pushed) {
  using Shape = typename Moves::Shape;
  extern __shared__ uint4 enqueue_memory[];
  __shared__ BlockStorage<u32, select_threads> warp_totals;
  __shared__ u64 shared_place;
  auto* const staged = reinterpret_cast<typename Moves::Staged*>(enqueue_memory);

  for (u64 tile = blockIdx.x; tile < tile_count; tile += gridDim.x) {
    typename Moves::Loaded loaded;
    moves.load(loaded, tile, n);
    u32 selected[Shape::rows];
    find_selected(moves, loaded, tile, n, selected);
    const SelectedRanks<Shape> ranks = rank_selected<Shape>(selected, warp_totals);
    if (threadIdx.x == 0) shared_place = ranks.total > 0 ? fetch_add_relaxed(pushed, u64{ranks.total}) : 0;
    pack_tile(moves, loaded, selected, ranks, staged);
    __syncthreads();

    // Elements for which there is no place are counted as pushed, and not stored.
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
  launch(ex, label, enqueue_kernel<Moves>, {block_count, select_threads, shared_bytes}, moves, n, tile_count,
         capacity, pushed);
}

/// Packs the elements of a tile that are not selected, from `staged` on. The rank of each is the number of such
/// elements before it.
template <class Moves>
__device__ void pack_others(const Moves& moves, const typename Moves::Loaded& loaded,
                            const u32 (&selected)[Moves::Shape::rows],
                            const SelectedRanks<typename Moves::Shape>& ranks, u32 tile_size,
                            typename Moves::Staged* staged) {
#pragma unroll
  for (u32 r = 0; r < Moves::Shape::rows; ++r) {
    u32 rank = Moves::Shape::local_id(r) - ranks.before[r];
#pragma unroll
    for (u32 k = 0; k < Moves::Shape::pack; ++k) {
      if ((selected[r] >> k & 1) == 0 && Moves::Shape::local_id(r) + k < tile_size) {
        staged[rank++] = moves.staged(loaded, r, k);
      }
    }
  }
}

template <class Moves, class T>
__global__ void __launch_bounds__(select_threads, enqueue_blocks)
    enqueue_both_kernel(const Moves moves, u64 n, u64 tile_count, const DoubleQueueView<T> queues) {
  using Shape = typename Moves::Shape;
  extern __shared__ uint4 enqueue_memory[];
  __shared__ BlockStorage<u32, select_threads> warp_totals;
  __shared__ DoubleTicket shared_ticket;
  auto* const staged = reinterpret_cast<typename Moves::Staged*>(enqueue_memory);

  for (u64 tile = blockIdx.x; tile < tile_count; tile += gridDim.x) {
    typename Moves::Loaded loaded;
    moves.load(loaded, tile, n);
    u32 selected[Shape::rows];
    find_selected(moves, loaded, tile, n, selected);
    const SelectedRanks<Shape> ranks = rank_selected<Shape>(selected, warp_totals);
    const u32 tile_size = u32(smaller(n - tile * Shape::size, u64{Shape::size}));
    const u32 fronts = ranks.total;
    if (threadIdx.x == 0) shared_ticket = queues.reserve(fronts, tile_size - fronts, select_threads);
    pack_tile(moves, loaded, selected, ranks, staged);
    pack_others(moves, loaded, selected, ranks, tile_size, staged + fronts);
    __syncthreads();

    const DoubleTicket ticket = shared_ticket;
#pragma unroll 4
    for (u32 k = threadIdx.x; k < tile_size; k += select_threads) {
      const u64 place = k < fronts ? queues.front_place(ticket, k) : queues.back_place(ticket, k - fronts);
      if (place != queues.no_place) moves.store(place, tile, staged[k]);
    }
    __syncthreads();
  }
}

template <class Moves, class T>
void enqueue_both_with(const Executor& ex, const char* label, u64 n, const Moves& moves,
                       const DoubleQueueView<T>& queues) {
  const u64 tile_count = divide_rounding_up(n, Moves::Shape::size);
  constexpr u32 shared_bytes = Moves::Shape::size * sizeof(typename Moves::Staged);
  const u64 block_count = smaller(tile_count, u64{enqueue_blocks} * ex.multiprocessor_count);
  launch(ex, label, enqueue_both_kernel<Moves, T>, {block_count, select_threads, shared_bytes}, moves, n,
         tile_count, queues);
}

}  // namespace detail

/// Contract: primitives/enqueue.h.
template <class T, class Predicate, class Input>
void enqueue_if(const Executor& ex, const char* label, u64 n, Predicate predicate, Input input,
                QueueView<T> queue) {
  if (n == 0) return;
  detail::with_moves(predicate, input, queue.data(), [&](const auto& moves) {
    detail::enqueue_with(ex, label, n, moves, queue.capacity(), queue.pushed());
  });
}

/// Contract: primitives/double_queue.h.
template <class T, class Predicate, class Input>
void enqueue_both(const Executor& ex, const char* label, u64 n, Predicate predicate, Input input,
                  DoubleQueueView<T> queues) {
  if (n == 0) return;
  detail::with_moves(predicate, input, queues.data(),
                     [&](const auto& moves) { detail::enqueue_both_with(ex, label, n, moves, queues); });
}

}  // namespace copse::cuda
