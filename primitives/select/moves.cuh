#pragma once

// How the elements of a tile travel to their places: as values, read in loads of 16 bytes and packed in shared
// memory, or as their numbers, where each is large or comes from a function.

#include "primitives/select/pack.cuh"
#include "primitives/select/selected_ranks.cuh"
#include "primitives/select/selection.h"

namespace copse::cuda::detail {

using copse::detail::KeepByIndex;
using copse::detail::StoreInput;

inline constexpr u32 keep_threads = 512;
inline constexpr u32 keep_blocks = 2;  // on a multiprocessor at once

/// The rows of a thread whose elements are `bytes` bytes a pack: 64 bytes, so that a tile has 32 KiB.
constexpr u32 keep_rows(u32 bytes) {
  return smaller<u32>(4, larger<u32>(1, 64 / bytes));
}

template <class T>
inline constexpr bool moves_as_values = sizeof(T) * pack_size<T> <= 64;

template <class T>
using ValueShape = TileShape<keep_threads, keep_rows(pack_size<T> * sizeof(T)), pack_size<T>>;
using IndexShape = TileShape<keep_threads, 4, 4>;

/// The fewest elements of T that a tile has, whatever the input function.
template <class T>
constexpr u64 smallest_keep_tile() {
  if constexpr (moves_as_values<T>) return smaller(ValueShape<T>::size, IndexShape::size);
  return IndexShape::size;
}

/// Elements of an array, as values.
template <class T, class Keep>
struct MoveElements {
  using Shape = ValueShape<T>;
  using Staged = T;

  Elements<T> input;
  Keep keep;
  T* out;
  bool input_in_words;

  struct Loaded {
    Pack<T> packs[Shape::rows];
  };

  /// Of the last tile, elements past the end are the last one again.
  __device__ void load(Loaded& loaded, u64 tile, u64 n) const {
#pragma unroll
    for (u32 r = 0; r < Shape::rows; ++r) {
      loaded.packs[r] = load_pack<T>(input, tile * Shape::size + Shape::local_id(r), n, input_in_words);
    }
  }
  __device__ bool keeps_element(const Loaded& loaded, u32 r, u32 k, u64 i) const {
    if constexpr (requires { keep.takes_after(loaded.packs[r][k], loaded.packs[r][k]); }) {
      if (k > 0) return keep.takes_after(loaded.packs[r][k - 1], loaded.packs[r][k]);
    }
    return keeps(keep, i, loaded.packs[r][k]);
  }
  __device__ T staged(const Loaded& loaded, u32 r, u32 k) const {
    return loaded.packs[r][k];
  }
  __device__ void store(u64 place, u64, const T& value) const {
    out[place] = value;
  }

  /// Elements that `place` is past a boundary of 32 of them in memory.
  __device__ u32 misalignment(u64 place) const {
    return u32(reinterpret_cast<u64>(out + place) / sizeof(T)) % 32;
  }
};

/// Whatever emit(place, i) makes of element i and its place.
template <class Keep, class Emit>
struct MoveIndices {
  using Shape = IndexShape;
  using Staged = u16;
  static_assert(Shape::size <= 65536);

  Keep keep;
  Emit emit;

  struct Loaded {};

  __device__ void load(Loaded&, u64, u64) const {}
  __device__ bool keeps_element(const Loaded&, u32, u32, u64 i) const { return keep(i); }
  __device__ u16 staged(const Loaded&, u32 r, u32 k) const { return u16(Shape::local_id(r) + k); }
  __device__ void store(u64 place, u64 tile, u16 local_id) const { emit(place, tile * Shape::size + local_id); }
  __device__ u32 misalignment(u64 place) const { return u32(place) % 32; }
};

/// The masks of the elements that a thread keeps of a tile, a bit an element of each row.
template <class Moves>
__device__ void find_kept(const Moves& moves, const typename Moves::Loaded& loaded, u64 tile, u64 n,
                          u32 (&kept)[Moves::Shape::rows]) {
  using Shape = typename Moves::Shape;
#pragma unroll
  for (u32 r = 0; r < Shape::rows; ++r) {
    const u64 i = tile * Shape::size + Shape::local_id(r);
    kept[r] = 0;
    if constexpr (requires { moves.keep.template mask<Shape::pack>(i); }) {
      if (i + Shape::pack <= n) {
        kept[r] = moves.keep.template mask<Shape::pack>(i);
        continue;
      }
    }
#pragma unroll
    for (u32 k = 0; k < Shape::pack; ++k) {
      if (i + k < n && moves.keeps_element(loaded, r, k, i + k)) kept[r] |= 1u << k;
    }
  }
}

/// Stores staged elements [0, count) of a tile from `place` on, beginning so that warps write whole lines.
template <class Moves>
__device__ void store_staged(const Moves& moves, const typename Moves::Staged* staged, u32 count, u64 place,
                             u64 tile) {
  const u32 skipped = moves.misalignment(place);
#pragma unroll 4
  for (u32 k = threadIdx.x; k < count + skipped; k += keep_threads) {
    if (k >= skipped) moves.store(place + k - skipped, tile, staged[k - skipped]);
  }
}

/// Calls run(moves) with the way that suits the input.
template <class T, class Input, class Keep, class Run>
void with_moves(const Keep& keep, const Input& input, T* out, const Run& run) {
  if constexpr (std::is_same_v<Input, Elements<T>> && moves_as_values<T>) {
    run(MoveElements<T, Keep>{input, keep, out, is_aligned_to_words(input.data)});
  } else if constexpr (keeps_by_value<Keep, T>) {
    run(MoveIndices<KeepByIndex<T, Keep, Input>, StoreInput<T, Input>>{{keep, input}, {input, out}});
  } else {
    run(MoveIndices<Keep, StoreInput<T, Input>>{keep, {input, out}});
  }
}

/// Packs the kept elements of a tile, by rank.
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

}  // namespace copse::cuda::detail
