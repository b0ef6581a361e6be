#pragma once

// Blocks sort tiles in shared memory. Then passes merge neighbouring runs. Each tile of the output is made by one
// block, which finds its sources along the merge path (Green, McColl, Bader, "GPU Merge Path", ICS 2012).
//
// Where we differ: elements of more than 32 bytes are sorted by index. The comparison looks them up, and they move
// once, at the end. Moving a large record log2(n) times would cost far more than the lookups.

#include <string>

#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/merge_tile.cuh"
#include "primitives/inputs.h"
#include "primitives/merge_sort.h"

namespace copse::cuda {

namespace detail {

template <class Key, class Value, class KeyInput, class ValueInput, class Less>
__global__ void __launch_bounds__(MergeShape<Key, Value>::threads, MergeShape<Key, Value>::blocks)
    sort_tiles_kernel(u64 n, KeyInput key_input, ValueInput value_input, Less less, Key* keys_out,
                      Value* values_out) {
  using Shape = MergeShape<Key, Value>;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  const auto tile = SharedTile<Key, Value>::at(shared_memory);
  overlap_launches();
  const u64 begin = u64(blockIdx.x) * Shape::tile;
  const u32 count = u32(smaller(n - begin, u64{Shape::tile}));
  fill_tile(tile, count, InputFrom<KeyInput>{key_input, begin}, InputFrom<ValueInput>{value_input, begin});
  sort_shared_tile(tile, count, less);
  write_tile(tile, count, keys_out + begin, values_out + begin);
}

/// One pass over runs of `run` elements, which is a multiple of the tile. The last run may be shorter.
struct MergePass {
  u64 n, run;

  struct Pair {
    u64 begin, middle, end;
  };
  __device__ Pair pair_of(u64 position) const {
    const u64 begin = position / (2 * run) * (2 * run);
    return {begin, smaller(begin + run, n), smaller(begin + 2 * run, n)};
  }
};

/// Does what merge_path does, by a whole warp. Each step asks at 32 places at once and leaves a 33rd of the range.
/// So a run of a million elements takes 4 steps, each of which waits for memory once, where one thread would take
/// 20.
template <class Key, class Less>
__device__ u64 merge_path_by_warp(const Key* a, u64 a_count, const Key* b, u64 b_count, u64 diagonal,
                                  const Less& less) {
  u64 lo = diagonal > b_count ? diagonal - b_count : 0;
  u64 hi = smaller(diagonal, a_count);
  while (lo < hi) {
    const u64 step = (hi - lo) / (warp_size + 1) + 1;
    const u64 place = lo + (lane_id() + 1) * step - 1;
    const bool is_past = place >= hi || less(b[diagonal - 1 - place], a[place]);
    const u32 before = u32(__popc(~__ballot_sync(all_lanes, is_past)));
    if (before < warp_size) hi = smaller(hi, lo + (before + 1) * step - 1);
    lo += before * step;
  }
  return lo;
}

/// With more tiles, one thread for each search is the faster way: the many loads of a warp then wait for each
/// other.
inline constexpr u64 max_tiles_by_warp = 4096;

/// Finds where the tiles of a merge pass begin: how many elements of the left run of its pair are before each
/// tile. Called for each tile, or for each lane of a warp per tile.
template <bool by_warp, class Key, class Less>
struct FindTileBegins {
  MergePass pass;
  const Key* keys;
  u32 tile;
  Less less;
  u64* begins;

  __device__ void operator()(u64 i) const {
    const u64 tile_id = by_warp ? i / warp_size : i;
    const u64 position = tile_id * tile;
    const MergePass::Pair pair = pass.pair_of(position);
    const Key *a = keys + pair.begin, *b = keys + pair.middle;
    const u64 a_count = pair.middle - pair.begin, b_count = pair.end - pair.middle;
    if constexpr (by_warp) {
      const u64 before = merge_path_by_warp(a, a_count, b, b_count, position - pair.begin, less);
      if (lane_id() == 0) begins[tile_id] = before;
    } else {
      begins[tile_id] = merge_path(a, a_count, b, b_count, position - pair.begin, less);
    }
  }
};

template <class Key, class Less>
void find_tile_begins(const Executor& ex, const char* label, u64 tile_count, const MergePass& pass,
                      const Key* keys, u32 tile, const Less& less, u64* begins) {
  if (tile_count <= max_tiles_by_warp) {
    for_each(ex, label, tile_count * warp_size, FindTileBegins<true, Key, Less>{pass, keys, tile, less, begins});
  } else {
    for_each(ex, label, tile_count, FindTileBegins<false, Key, Less>{pass, keys, tile, less, begins});
  }
}

template <class Key, class Value, class Less>
__global__ void __launch_bounds__(MergeShape<Key, Value>::threads, MergeShape<Key, Value>::blocks)
    merge_pass_kernel(MergePass pass, const Key* keys_in, const Value* values_in, const u64* begins, Less less,
                      Key* keys_out, Value* values_out) {
  using Shape = MergeShape<Key, Value>;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  overlap_launches();
  const u64 out = u64(blockIdx.x) * Shape::tile;
  const MergePass::Pair pair = pass.pair_of(out);
  const u64 out_end = smaller(out + Shape::tile, pair.end);
  const u64 left = begins[blockIdx.x];
  const u64 left_end = out_end == pair.end ? pair.middle - pair.begin : begins[blockIdx.x + 1];
  const MergeSources sources{pair.begin + left, pair.middle + (out - pair.begin - left), u32(left_end - left),
                             u32(out_end - out)};
  merge_from_global(SharedTile<Key, Value>::at(shared_memory), keys_in, values_in, sources, out, less, keys_out,
                    values_out);
}

/// Returns the tile of the code that this GPU runs, for kernels that are compiled together with `kernel`.
template <class Key, class Value, class Kernel>
u32 merge_tile(const Executor& ex, const char* label, Kernel kernel) {
  using Shape = MergeShape<Key, Value>;
  return architecture_of(ex, label, kernel) < ampere ? Shape::turing_tile : Shape::tile;
}

/// Sorts elements directly, not by index.
template <class Key, class Value, class KeyInput, class ValueInput, class Less>
void merge_sort_elements(const Executor& ex, const char* label, u64 n, const KeyInput& key_input,
                         const ValueInput& value_input, const Less& less, Key* keys_out, Value* values_out) {
  using Shape = MergeShape<Key, Value>;
  const auto sort_tiles = sort_tiles_kernel<Key, Value, KeyInput, ValueInput, Less>;
  const u32 tile = merge_tile<Key, Value>(ex, label, sort_tiles);
  const u32 shared_bytes = available_shared_bytes(ex, SharedTile<Key, Value>::bytes);
  ScratchArena::Frame frame(ex.scratch);
  const u64 tile_count = divide_rounding_up(n, u64{tile});
  const bool passes = tile_count > 1;
  Key* keys[2] = {keys_out, passes ? frame.allocate<Key>(n) : nullptr};
  Value* values[2] = {values_out, passes && Shape::with_values ? frame.allocate<Value>(n) : nullptr};
  u64* begins = passes ? frame.allocate<u64>(tile_count) : nullptr;

  // The passes alternate between two arrays and end in the output.
  u32 at = 0;
  for (u64 run = tile; run < n; run *= 2) at = 1 - at;
  launch(ex, label, sort_tiles, {tile_count, Shape::threads, shared_bytes, true}, n, key_input, value_input, less,
         keys[at], values[at]);
  for (u64 run = tile; run < n; run *= 2) {
    const MergePass pass{n, run};
    find_tile_begins(ex, label, tile_count, pass, keys[at], tile, less, begins);
    launch(ex, label, merge_pass_kernel<Key, Value, Less>, {tile_count, Shape::threads, shared_bytes, true}, pass,
           keys[at], values[at], begins, less, keys[1 - at], values[1 - at]);
    at = 1 - at;
  }
}

/// Returns enough scratch for the smallest tiles.
template <class Key, class Value>
u64 merge_sort_elements_bytes(u64 n) {
  using Shape = MergeShape<Key, Value>;
  if (n <= Shape::turing_tile) return 0;
  return ScratchArena::bytes_for<Key>(n) + (Shape::with_values ? ScratchArena::bytes_for<Value>(n) : 0) +
         ScratchArena::bytes_for<u64>(divide_rounding_up(n, Shape::turing_tile));
}

/// Compares records by their index.
template <class Key, class Less>
struct LessByIndex {
  const Key* keys;
  Less less;
  __device__ bool operator()(u32 a, u32 b) const { return less(keys[a], keys[b]); }
};

template <class Input, class T>
struct CopyInput {
  Input input;
  T* out;
  __device__ void operator()(u64 i) const { out[i] = input(i); }
};

/// Moves records by index, one word per thread, so that neighbouring threads share a record.
template <class Word>
struct MoveWords {
  const Word* in;
  const u32* order;
  Word* out;
  u32 words_per_record;

  __device__ void operator()(u64 i) const {
    const u64 record = i / words_per_record;
    out[i] = in[u64(order[record]) * words_per_record + i % words_per_record];
  }
};

template <class T>
void move_by_index(const Executor& ex, const char* label, u64 n, const T* in, const u32* order, T* out) {
  // The widest word that the alignment of the type allows.
  using Word = std::conditional_t<alignof(T) % 8 == 0, u64, std::conditional_t<alignof(T) % 4 == 0, u32, u8>>;
  constexpr u32 words_per_record = sizeof(T) / sizeof(Word);
  for_each(
      ex, label, n * words_per_record,
      MoveWords<Word>{reinterpret_cast<const Word*>(in), order, reinterpret_cast<Word*>(out), words_per_record});
}

/// Sorts indices, with a comparison that looks the keys up. Then moves keys and values once. Both are copied
/// first, so that the inputs may read the outputs.
template <class Key, class Value, class KeyInput, class ValueInput, class Less>
void merge_sort_by_index(const Executor& ex, const char* label, u64 n, const KeyInput& key_input,
                         const ValueInput& value_input, const Less& less, Key* keys_out, Value* values_out) {
  constexpr bool with_values = MergeShape<Key, Value>::with_values;
  constexpr u64 most = u64{1} << 32;
  if (n > most) {
    throw Error(ErrorCode::invalid_argument, std::string(label) + ": cannot sort " + std::to_string(n) +
                                                 " elements of " +
                                                 std::to_string(MergeShape<Key, Value>::element_bytes) +
                                                 " bytes each; the limit is " + std::to_string(most));
  }
  ScratchArena::Frame frame(ex.scratch);
  Key* keys = frame.allocate<Key>(n);
  for_each(ex, label, n, CopyInput<KeyInput, Key>{key_input, keys});
  Value* values = nullptr;
  if constexpr (with_values) {
    values = frame.allocate<Value>(n);
    for_each(ex, label, n, CopyInput<ValueInput, Value>{value_input, values});
  }
  u32* order = frame.allocate<u32>(n);
  merge_sort_elements(ex, label, n, Index{}, copse::detail::NoValueInput{}, LessByIndex<Key, Less>{keys, less},
                      order, static_cast<NoValue*>(nullptr));
  move_by_index(ex, label, n, keys, order, keys_out);
  if constexpr (with_values) move_by_index(ex, label, n, values, order, values_out);
}

template <class Key, class Value, class KeyInput, class ValueInput, class Less>
void merge_sort(const Executor& ex, const char* label, u64 n, const KeyInput& key_input,
                const ValueInput& value_input, const Less& less, Key* keys_out, Value* values_out) {
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>);
  static_assert(sizeof(Key) <= 256 && sizeof(Value) <= 256);
  if (n == 0) return;
  if constexpr (MergeShape<Key, Value>::by_index) {
    merge_sort_by_index(ex, label, n, key_input, value_input, less, keys_out, values_out);
  } else {
    merge_sort_elements(ex, label, n, key_input, value_input, less, keys_out, values_out);
  }
}

}  // namespace detail

template <class Key, class Value = NoValue>
u64 merge_sort_scratch_bytes(const Executor&, u64 n) {
  using Shape = detail::MergeShape<Key, Value>;
  if (n == 0) return 0;
  if constexpr (Shape::by_index) {
    return ScratchArena::bytes_for<Key>(n) + (Shape::with_values ? ScratchArena::bytes_for<Value>(n) : 0) +
           ScratchArena::bytes_for<u32>(n) + detail::merge_sort_elements_bytes<u32, NoValue>(n);
  } else {
    return detail::merge_sort_elements_bytes<Key, Value>(n);
  }
}

/// Contract: primitives/merge_sort.h.
template <class Key, class KeyInput, class Less>
void merge_sort_keys(const Executor& ex, const char* label, u64 n, KeyInput key_input, Less less, Key* keys_out) {
  detail::merge_sort(ex, label, n, key_input, copse::detail::NoValueInput{}, less, keys_out,
                     static_cast<NoValue*>(nullptr));
}

/// Contract: primitives/merge_sort.h.
template <class Key, class Value, class KeyInput, class ValueInput, class Less>
void merge_sort_pairs(const Executor& ex, const char* label, u64 n, KeyInput key_input, ValueInput value_input,
                      Less less, Key* keys_out, Value* values_out) {
  detail::merge_sort(ex, label, n, key_input, value_input, less, keys_out, values_out);
}

}  // namespace copse::cuda
