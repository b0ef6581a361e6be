#pragma once

// Run-length encoding is a compaction of the elements that start a run (compact.cuh). Within a tile, a run ends
// where the next one starts. The last run of a tile may go on in later tiles, so a second, short launch finds its
// end. bench: copse-bench-primitives, run_length_encode/.

#include "primitives/cuda/compact.cuh"
#include "primitives/runs.h"

namespace copse::cuda {

namespace detail {

/// The runs of the tiles up to one tile.
struct TileRuns {
  u64 through;      // runs that start in this tile or before it
  u32 first, last;  // where its first and its last run start, in the tile
};

/// Stores the lengths of runs that end within a tile, and the data from which EndLastRun finds the end of the last
/// one.
template <class Length>
struct RunLengths {
  Length* lengths;
  TileRuns* tiles;

  /// `ids` are the places in the tile where its `count` runs start, the first of which is run `first_run`.
  __device__ void store(u64 first_run, const u16* ids, u32 k, u32 count) const {
    if (k + 1 < count) lengths[first_run + k] = Length(ids[k + 1] - ids[k]);
  }
  /// Called by one thread per tile.
  __device__ void end_tile(u64 first_run, u64 tile, const u16* ids, u32 count) const {
    tiles[tile] = {first_run + count, count > 0 ? ids[0] : 0u, count > 0 ? ids[count - 1] : 0u};
  }
};

/// Moves the starts of runs as numbers, and then reads their values.
template <class Predicate, class Input, class T, class Length>
struct MoveRunNumbers : MoveIndices<Predicate, copse::detail::StoreIndex<u32>> {
  using Base = MoveIndices<Predicate, copse::detail::StoreIndex<u32>>;
  using Stage = typename Base::Stage;

  Input values_in;
  T* values;
  RunLengths<Length> runs;

  __device__ void store_run(u64 first_run, u64 tile, Stage ids, u32 k, u32 count) const {
    values[first_run + k] = values_in(tile * Base::Shape::size + ids[k]);
    runs.store(first_run, ids, k, count);
  }
  __device__ void end_tile(u64 first_run, u64 tile, Stage ids, u32 count) const {
    runs.end_tile(first_run, tile, ids, count);
  }
};

/// Returns the rows of a thread if values are staged beside their places: two stages fit 48 KiB, which every GPU
/// has.
template <class T>
constexpr u32 run_rows() {
  constexpr u32 row_bytes = 2 * select_threads * pack_size<T> * (sizeof(T) + sizeof(u16));
  return smaller<u32>(4, (48u << 10) / row_bytes);
}
template <class T>
inline constexpr bool stages_run_values = run_rows<T>() > 0 && moves_as_values<T>;

template <class T>
using RunShape = TileShape<select_threads, larger<u32>(run_rows<T>(), 1), pack_size<T>>;

/// Returns the smallest number of elements of T that a tile has, for any input function.
template <class T>
constexpr u64 smallest_run_tile() {
  return stages_run_values<T> ? smaller(u64{RunShape<T>::size}, u64{IndexShape::size}) : u64{IndexShape::size};
}

/// Moves the starts of runs of an array, with their values.
template <class T, class Predicate, class Length>
struct MoveRunValues : MoveElements<T, Predicate, RunShape<T>> {
  using Base = MoveElements<T, Predicate, RunShape<T>>;
  struct Stage {
    T* values;
    u16* ids;
    __device__ Stage operator+(u32 k) const { return {values + k, ids + k}; }
  };
  static constexpr u32 stage_bytes = Base::Shape::size * (sizeof(T) + sizeof(u16));
  static_assert(Base::Shape::size <= 65536);

  RunLengths<Length> runs;

  __device__ static Stage stage_at(unsigned char* memory) {
    return {reinterpret_cast<T*>(memory), reinterpret_cast<u16*>(memory + Base::Shape::size * sizeof(T))};
  }
  __device__ void put(const Stage& stage, u32 rank, const typename Base::Loaded& loaded, u32 r, u32 k) const {
    stage.values[rank] = loaded.packs[r][k];
    stage.ids[rank] = u16(Base::Shape::local_id(r) + k);
  }
  __device__ void store_run(u64 first_run, u64, const Stage& stage, u32 k, u32 count) const {
    Base::out[first_run + k] = stage.values[k];
    runs.store(first_run, stage.ids, k, count);
  }
  __device__ void end_tile(u64 first_run, u64 tile, const Stage& stage, u32 count) const {
    runs.end_tile(first_run, tile, stage.ids, count);
  }
};

/// Stores the length of the last run of a tile, which ends where the next tile that has a run has its first, or at
/// the end of the input.
template <class Length>
struct EndLastRun {
  const TileRuns* tiles;
  u64 tile_count, tile_size, n;
  Length* lengths;

  __device__ void operator()(u64 tile) const {
    const TileRuns runs = tiles[tile];
    if (runs.through == (tile > 0 ? tiles[tile - 1].through : 0)) return;
    u64 begin = tile + 1, end = tile_count;
    while (begin < end) {
      const u64 middle = (begin + end) / 2;
      if (tiles[middle].through > runs.through) {
        end = middle;
      } else {
        begin = middle + 1;
      }
    }
    const u64 run_end = begin < tile_count ? begin * tile_size + tiles[begin].first : n;
    lengths[runs.through - 1] = Length(run_end - (tile * tile_size + runs.last));
  }
};

/// Encodes runs by the moves that make_moves(lengths of runs) returns.
template <class Length, class MakeMoves>
void encode_runs(const Executor& ex, const char* label, u64 n, Length* lengths, u64* count,
                 const MakeMoves& make_moves) {
  using Moves = decltype(make_moves(RunLengths<Length>{}));
  ScratchArena::Frame frame(ex.scratch);
  const u64 tile_count = divide_rounding_up(n, Moves::Shape::size);
  auto* tiles = frame.allocate<TileRuns>(tile_count);
  compact_with(ex, label, n, make_moves(RunLengths<Length>{lengths, tiles}), count);
  for_each(ex, label, tile_count, EndLastRun<Length>{tiles, tile_count, Moves::Shape::size, n, lengths});
}

}  // namespace detail

/// Contract: primitives/run_length.h.
template <class T, class Length, class Input, class Equal>
void run_length_encode(const Executor& ex, const char* label, u64 n, Input input, Equal equal, T* values,
                       Length* lengths, u64* count) {
  if (n == 0) return fill_bytes(ex, label, count, 1, 0);
  using Starts = copse::detail::StartsRun<Input, Equal>;
  const Starts starts{input, equal};
  if constexpr (std::is_same_v<Input, Elements<T>> && detail::stages_run_values<T>) {
    const detail::MoveElements<T, Starts, detail::RunShape<T>> elements{input, starts, values,
                                                                        is_aligned_to_words(input.data)};
    detail::encode_runs(ex, label, n, lengths, count, [&](const detail::RunLengths<Length>& runs) {
      return detail::MoveRunValues<T, Starts, Length>{elements, runs};
    });
  } else {
    detail::encode_runs(ex, label, n, lengths, count, [&](const detail::RunLengths<Length>& runs) {
      return detail::MoveRunNumbers<Starts, Input, T, Length>{{starts, {nullptr}}, input, values, runs};
    });
  }
}

/// Contract: primitives/run_length.h.
template <class T>
u64 run_length_encode_scratch_bytes(const Executor&, u64 n) {
  const u64 tile_count = divide_rounding_up(n, detail::smallest_run_tile<T>());
  return ScratchArena::bytes_for<detail::TileRuns>(tile_count) + detail::CountChain::scratch_bytes_for(tile_count);
}

}  // namespace copse::cuda
