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

/// Moves the starts of runs as numbers, whatever Base moves. It stores the value of each run, and the length of
/// all runs but the last of a tile.
template <class Base, class Input, class T, class Length>
struct MoveRuns : Base {
  using Shape = typename Base::Shape;
  using Staged = u16;
  static_assert(Shape::size <= 65536);

  Input values_in;
  T* values;
  Length* lengths;
  TileRuns* tiles;

  __device__ u16 staged(const typename Base::Loaded&, u32 r, u32 k) const { return u16(Shape::local_id(r) + k); }
  __device__ u32 misalignment(u64 place) const { return u32(place) % 32; }

  /// Stores the run that starts at staged[k], of the `count` runs of the tile. The first of them is run `first_run`.
  __device__ void store_run(u64 first_run, u64 tile, const u16* staged, u32 k, u32 count) const {
    values[first_run + k] = values_in(tile * Shape::size + staged[k]);
    if (k + 1 < count) lengths[first_run + k] = Length(staged[k + 1] - staged[k]);
  }

  /// Called by one thread per tile.
  __device__ void end_tile(u64 first_run, u64 tile, const u16* staged, u32 count) const {
    tiles[tile] = {first_run + count, count > 0 ? staged[0] : 0u, count > 0 ? staged[count - 1] : 0u};
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

}  // namespace detail

/// Contract: primitives/run_length.h.
template <class T, class Length, class Input, class Equal>
void run_length_encode(const Executor& ex, const char* label, u64 n, Input input, Equal equal, T* values,
                       Length* lengths, u64* count) {
  if (n == 0) return fill_bytes(ex, label, count, 1, 0);
  using Starts = copse::detail::StartsRun<Input, Equal>;
  ScratchArena::Frame frame(ex.scratch);
  detail::with_moves(Starts{input, equal}, input, values, [&]<class Base>(const Base& base) {
    const u64 tile_count = divide_rounding_up(n, Base::Shape::size);
    auto* tiles = frame.allocate<detail::TileRuns>(tile_count);
    using Moves = detail::MoveRuns<Base, Input, T, Length>;
    detail::compact_with(ex, label, n, Moves{base, input, values, lengths, tiles}, count);
    for_each(ex, label, tile_count, detail::EndLastRun<Length>{tiles, tile_count, Base::Shape::size, n, lengths});
  });
}

/// Contract: primitives/run_length.h.
template <class T>
u64 run_length_encode_scratch_bytes(const Executor& ex, u64 n) {
  const u64 tile_count = divide_rounding_up(n, detail::smallest_select_tile<T>());
  return ScratchArena::bytes_for<detail::TileRuns>(tile_count) + compact_scratch_bytes<T>(ex, n);
}

}  // namespace copse::cuda
