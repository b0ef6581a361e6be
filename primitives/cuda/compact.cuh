#pragma once

// One launch over tiles in a chain of counts (count_chain.cuh). A block packs the selected elements of a tile in
// shared memory before it knows their places. They stay there until the block has published the count of its next
// tile. So no block waits for the count of a block that itself waits.
// bench: copse-bench-primitives, compact/.

#include "primitives/scan/count_chain.cuh"
#include "primitives/select/moves.cuh"

namespace copse::cuda {

namespace detail {

/// Gives a block its tiles. If there is a block for each tile, a block gets the tile of its own number. Otherwise
/// blocks take tickets in order, so that a tile waits only for tiles that already run.
struct TileSource {
  const CountChain& chain;
  bool one_tile_each;

  __device__ u64 take() const {
    return one_tile_each ? chain.tile_count : u64(fetch_add_relaxed(chain.ticket, 1u));
  }
};

/// A tile with its selected elements packed in shared memory, until their place is known.
struct WaitingTile {
  u64 tile;
  u32 selected_count;
};

/// Finds the place of a waiting tile, publishes the place of the next one, and stores the elements.
template <class Moves>
__device__ void place_tile(const Moves& moves, const CountChain& chain, const typename Moves::Stage& staged,
                           const WaitingTile& waiting, u64* count) {
  const u64 before = count_before(chain, waiting.tile);
  if (threadIdx.x == 0) {
    if (waiting.tile > 0) publish_count(chain, waiting.tile, count_is_through, before + waiting.selected_count);
    if (waiting.tile == chain.tile_count - 1) *count = before + waiting.selected_count;
    if constexpr (requires { moves.end_tile(before, waiting.tile, staged, waiting.selected_count); }) {
      moves.end_tile(before, waiting.tile, staged, waiting.selected_count);
    }
  }
  store_staged(moves, staged, waiting.selected_count, before, waiting.tile);
}

/// Stages of packed elements in shared memory. In code for Turing two of 32 KiB are too much: a block then places a tile
/// before it packs the next one.
template <class Moves>
inline constexpr u32 stage_count = 2 * Moves::stage_bytes <= shared_bytes_everywhere ? 2 : 1;

template <class Moves>
__global__ void __launch_bounds__(select_threads, select_blocks)
    compact_kernel(const Moves moves, u64 n, const CountChain chain, u64* count, bool one_tile_each) {
  using Shape = typename Moves::Shape;
  static_assert(stage_count<Moves> * Moves::stage_bytes <= shared_bytes_everywhere);
  extern __shared__ uint4 compact_memory[];
  __shared__ BlockStorage<u32, select_threads> warp_totals;
  __shared__ u64 shared_tile;
  const auto stage_at = [&](u32 stage) {
    return Moves::stage_at(reinterpret_cast<unsigned char*>(compact_memory) + stage * Moves::stage_bytes);
  };
  const TileSource source{chain, one_tile_each};

  overlap_launches();
  if (threadIdx.x == 0) shared_tile = one_tile_each ? blockIdx.x : source.take();
  __syncthreads();
  u64 tile = shared_tile;
  typename Moves::Loaded loaded;
  if (tile < chain.tile_count) moves.load(loaded, tile, n);

  WaitingTile waiting{chain.tile_count, 0};
  for (u32 stage = 0;; stage ^= 1) {
    if constexpr (stage_count<Moves> == 1) {
      if (waiting.tile < chain.tile_count) place_tile(moves, chain, stage_at(0), waiting, count);
      waiting.tile = chain.tile_count;
    }
    const bool has_tile = tile < chain.tile_count;
    u64 next_tile = chain.tile_count;
    u32 selected_count = 0;
    if (has_tile) {
      // Rank the selected elements, publish their number, and pack them.
      u32 selected[Shape::rows];
      find_selected(moves, loaded, tile, n, selected);
      const SelectedRanks<Shape> ranks = rank_selected<Shape>(selected, warp_totals);
      selected_count = ranks.total;
      if (threadIdx.x == 0) {
        publish_count(chain, tile, tile == 0 ? count_is_through : count_is_own, selected_count);
        shared_tile = source.take();
      }
      pack_tile(moves, loaded, selected, ranks, stage_at(stage_count<Moves> == 2 ? stage : 0));
      __syncthreads();
      next_tile = shared_tile;
      if (next_tile < chain.tile_count) moves.load(loaded, next_tile, n);
    }

    // Place the previous tile while the next one loads. Meanwhile, other blocks publish the counts before it.
    if (waiting.tile < chain.tile_count) {
      place_tile(moves, chain, stage_at(stage ^ 1), waiting, count);
    }
    if (!has_tile) break;
    waiting = {tile, selected_count};
    tile = next_tile;
  }
  leave_chain(chain);
}

template <class Moves>
void compact_with(const Executor& ex, const char* label, u64 n, const Moves& moves, u64* count) {
  const u64 tile_count = divide_rounding_up(n, Moves::Shape::size);
  const u64 block_count = smaller(tile_count, u64{select_blocks} * ex.multiprocessor_count);
  with_count_chain(ex, label, tile_count, [&](const CountChain& chain) {
    const u32 shared_bytes = available_shared_bytes(ex, stage_count<Moves> * Moves::stage_bytes);
    launch(ex, label, compact_kernel<Moves>, {block_count, select_threads, shared_bytes, true}, moves, n, chain,
           count, block_count == tile_count);
  });
}

}  // namespace detail

/// Contract: primitives/compact.h.
template <class T>
u64 compact_scratch_bytes(const Executor&, u64 n) {
  return detail::CountChain::scratch_bytes_for(divide_rounding_up(n, detail::smallest_select_tile<T>()));
}

/// Contract: primitives/compact.h.
template <class Predicate, class Emit>
void compact_each(const Executor& ex, const char* label, u64 n, Predicate predicate, Emit emit, u64* count) {
  if (n == 0) return fill_bytes(ex, label, count, 1, 0);
  detail::compact_with(ex, label, n, detail::MoveIndices<Predicate, Emit>{predicate, emit}, count);
}

/// Contract: primitives/compact.h.
template <class T, class Predicate, class Input>
void compact(const Executor& ex, const char* label, u64 n, Predicate predicate, Input input, T* out, u64* count) {
  if (n == 0) return fill_bytes(ex, label, count, 1, 0);
  detail::with_moves(predicate, input, out,
                     [&](const auto& moves) { detail::compact_with(ex, label, n, moves, count); });
}

}  // namespace copse::cuda
