#pragma once

// Moves the elements of a tile to their places. They move as values, which are read in loads of 16 bytes and
// packed in shared memory. If they are large or come from a function, they move as numbers.

#include "primitives/select/pack.cuh"
#include "primitives/select/selected_ranks.cuh"
#include "primitives/select/selection.h"

namespace copse::cuda::detail {

using copse::detail::SelectByIndex;
using copse::detail::StoreValue;

inline constexpr u32 select_threads = 512;
inline constexpr u32 select_blocks = 2;  // on a multiprocessor at once

/// Returns the rows of a thread if a pack has `bytes` bytes: 64 bytes per thread, so that a tile has 32 KiB.
constexpr u32 select_rows(u32 bytes) {
  return smaller<u32>(4, larger<u32>(1, 64 / bytes));
}

template <class T>
inline constexpr bool moves_as_values = sizeof(T) * pack_size<T> <= 64;

template <class T>
using ValueShape = TileShape<select_threads, select_rows(pack_size<T> * sizeof(T)), pack_size<T>>;

/// The shape for inputs so small that most multiprocessors would have no tile of ValueShape.
template <class T>
using SmallValueShape = TileShape<select_threads, 1, pack_size<T>>;
using IndexShape = TileShape<select_threads, 4, 4>;

/// The shape if a predicate answers for 8 elements at once. Flags are small, so a tile has more of them.
using MaskShape = TileShape<select_threads, 4, 8>;

/// Returns the smallest number of elements of T that a tile has, for any input function.
template <class T>
constexpr u64 smallest_select_tile() {
  if constexpr (moves_as_values<T>) return smaller(ValueShape<T>::size, IndexShape::size);
  return IndexShape::size;
}

/// The answers of a predicate that a thread has loaded for a tile: nothing, if the predicate is called per
/// element.
template <class Predicate, class Shape>
struct LoadedFlags {
  __device__ void load(const Predicate&, u64, u64) {}
};

/// The flags of the rows of a thread. They are loaded with the tile, and become masks when the tile is ranked.
template <class Flags, class Shape>
requires AnswersInMasks<Flags, Shape::pack>
struct LoadedFlags<Flags, Shape> {
  decltype(std::declval<Flags>().template load<Shape::pack>(0)) rows[Shape::rows];

  __device__ void load(const Flags& flags, u64 tile, u64 n) {
#pragma unroll
    for (u32 r = 0; r < Shape::rows; ++r) {
      const u64 i = tile * Shape::size + Shape::local_id(r);
      if (i + Shape::pack <= n) rows[r] = flags.template load<Shape::pack>(i);
    }
  }

  /// Bit k = the flag of element i + k, for row r, which begins at element i.
  __device__ u32 mask(const Flags& flags, u32 r, u64 i, u64 n) const {
    if (i + Shape::pack <= n) return flags.template mask<Shape::pack>(i, rows[r]);
    u32 mask = 0;
    for (u32 k = 0; i + k < n; ++k) mask |= u32(flags(i + k)) << k;
    return mask;
  }
};

/// Moves elements of an array, as values.
template <class T, class Predicate, class ShapeOfTile = ValueShape<T>>
struct MoveElements {
  using Shape = ShapeOfTile;
  using Staged = T;

  using Stage = Staged*;
  static constexpr u32 stage_bytes = Shape::size * sizeof(Staged);

  Elements<T> input;
  Predicate predicate;
  T* out;
  bool input_in_words;

  struct Loaded {
    Pack<T> packs[Shape::rows];
    LoadedFlags<Predicate, Shape> flags;
  };

  /// Loads the packs of a tile. In the last tile, elements past the end repeat the last one.
  __device__ void load(Loaded& loaded, u64 tile, u64 n) const {
#pragma unroll
    for (u32 r = 0; r < Shape::rows; ++r) {
      loaded.packs[r] = load_pack<T>(input, tile * Shape::size + Shape::local_id(r), n, input_in_words);
    }
    loaded.flags.load(predicate, tile, n);
  }
  __device__ bool selects_element(const Loaded& loaded, u32 r, u32 k, u64 i) const {
    if constexpr (requires { predicate.takes_after(loaded.packs[r][k], loaded.packs[r][k]); }) {
      if (k > 0) return predicate.takes_after(loaded.packs[r][k - 1], loaded.packs[r][k]);
    }
    return selects(predicate, i, loaded.packs[r][k]);
  }
  __device__ static Stage stage_at(unsigned char* memory) {
    return reinterpret_cast<Stage>(memory);
  }
  __device__ T staged(const Loaded& loaded, u32 r, u32 k) const {
    return loaded.packs[r][k];
  }
  __device__ void put(Stage stage, u32 rank, const Loaded& loaded, u32 r, u32 k) const {
    stage[rank] = staged(loaded, r, k);
  }
  __device__ void store(u64 place, u64, const T& value) const {
    out[place] = value;
  }

  /// Returns the distance, in elements, of `place` from the last boundary of 32 elements in memory.
  __device__ u32 misalignment(u64 place) const {
    return u32(reinterpret_cast<u64>(out + place) / sizeof(T)) % 32;
  }
};

/// Calls emit(place, i) for the elements, which move as numbers.
template <class Predicate, class Emit>
struct MoveIndices {
  using Shape = std::conditional_t<AnswersInMasks<Predicate, MaskShape::pack>, MaskShape, IndexShape>;
  using Staged = u16;
  using Stage = Staged*;
  static constexpr u32 stage_bytes = Shape::size * sizeof(Staged);
  static_assert(Shape::size <= 65536);

  Predicate predicate;
  Emit emit;

  struct Loaded {
    LoadedFlags<Predicate, Shape> flags;
  };

  __device__ void load(Loaded& loaded, u64 tile, u64 n) const { loaded.flags.load(predicate, tile, n); }
  __device__ bool selects_element(const Loaded&, u32, u32, u64 i) const { return predicate(i); }
  __device__ static Stage stage_at(unsigned char* memory) { return reinterpret_cast<Stage>(memory); }
  __device__ u16 staged(const Loaded&, u32 r, u32 k) const { return u16(Shape::local_id(r) + k); }
  __device__ void put(Stage stage, u32 rank, const Loaded& loaded, u32 r, u32 k) const {
    stage[rank] = staged(loaded, r, k);
  }
  __device__ void store(u64 place, u64 tile, u16 local_id) const { emit(place, tile * Shape::size + local_id); }
  __device__ u32 misalignment(u64 place) const { return u32(place) % 32; }
};

/// Finds the elements of a tile that a thread selects: one mask per row, one bit per element.
template <class Moves>
__device__ void find_selected(const Moves& moves, const typename Moves::Loaded& loaded, u64 tile, u64 n,
                              u32 (&selected)[Moves::Shape::rows]) {
  using Shape = typename Moves::Shape;
#pragma unroll
  for (u32 r = 0; r < Shape::rows; ++r) {
    const u64 i = tile * Shape::size + Shape::local_id(r);
    if constexpr (requires { loaded.flags.mask(moves.predicate, r, i, n); }) {
      selected[r] = loaded.flags.mask(moves.predicate, r, i, n);
    } else {
      selected[r] = 0;
#pragma unroll
      for (u32 k = 0; k < Shape::pack; ++k) {
        if (i + k < n && moves.selects_element(loaded, r, k, i + k)) selected[r] |= 1u << k;
      }
    }
  }
}

/// Stores the staged elements [0, count) of a tile from `place` on, aligned so that warps write whole lines.
template <class Moves>
__device__ void store_staged(const Moves& moves, const typename Moves::Stage& staged, u32 count, u64 place,
                             u64 tile) {
  const u32 skipped = moves.misalignment(place);
#pragma unroll 4
  for (u32 k = threadIdx.x; k < count + skipped; k += select_threads) {
    if (k < skipped) continue;
    if constexpr (requires { moves.store_run(place, tile, staged, k, count); }) {
      moves.store_run(place, tile, staged, k - skipped, count);
    } else {
      moves.store(place + k - skipped, tile, staged[k - skipped]);
    }
  }
}

/// Calls run(moves) with the kind of moves that fits the input.
template <class T, class Input, class Predicate, class Run>
void with_moves(const Predicate& predicate, const Input& input, T* out, const Run& run) {
  if constexpr (std::is_same_v<Input, Elements<T>> && moves_as_values<T>) {
    run(MoveElements<T, Predicate>{input, predicate, out, is_aligned_to_words(input.data)});
  } else if constexpr (predicate_takes_value<Predicate, T>) {
    run(MoveIndices<SelectByIndex<T, Predicate, Input>, StoreValue<T, Input>>{{predicate, input}, {input, out}});
  } else {
    run(MoveIndices<Predicate, StoreValue<T, Input>>{predicate, {input, out}});
  }
}

/// Packs the selected elements of a tile, by rank.
template <class Moves>
__device__ void pack_tile(const Moves& moves, const typename Moves::Loaded& loaded,
                          const u32 (&selected)[Moves::Shape::rows],
                          const SelectedRanks<typename Moves::Shape>& ranks, const typename Moves::Stage& stage) {
#pragma unroll
  for (u32 r = 0; r < Moves::Shape::rows; ++r) {
    u32 rank = ranks.before[r];
#pragma unroll
    for (u32 k = 0; k < Moves::Shape::pack; ++k) {
      if ((selected[r] >> k & 1) != 0) moves.put(stage, rank++, loaded, r, k);
    }
  }
}

}  // namespace copse::cuda::detail
