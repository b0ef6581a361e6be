#pragma once

// Least significant digit first, 8 bits a pass, one read and one write a pass: "Onesweep" (Adinets, Merrill,
// "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", arXiv 2206.01784, 2022). One launch
// counts the digits of all passes; each pass then ranks tiles of keys in shared memory and finds the tiles'
// places by decoupled look-back, a digit a thread.
//
// Where we differ: the words of the look-back carry the number of their pass, so that one table serves all
// passes and is cleared once; warps count in 16 bits, written by one lane a digit instead of by atomics.

#include <type_traits>

#include "primitives/core/bits.h"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/inputs.h"
#include "primitives/radix_sort.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 digit_bits = 8;
inline constexpr u32 digit_count = 1u << digit_bits;
inline constexpr u32 most_passes = 8;
inline constexpr u32 sort_threads = 384;
inline constexpr u32 sort_warps = sort_threads / warp_size;
inline constexpr u32 histogram_threads = 256;
inline constexpr u64 histogram_items = 16;

/// Keys a thread, so that a tile of them fits the 48 KB of shared memory beside the counters.
template <class Key>
inline constexpr u32 sort_rows = sizeof(Key) == 8 ? 12 : 16;

template <class Key>
inline constexpr u32 sort_tile = sort_threads* sort_rows<Key>;

/// The passes over a range of bits: digits of 8 bits, the last one shorter.
struct SortPasses {
  BitRange bits;

  COPSE_HD u32 count() const { return (bits.end - bits.begin + digit_bits - 1) / digit_bits; }
  COPSE_HD u32 shift(u32 pass) const { return bits.begin + pass * digit_bits; }
  COPSE_HD u32 mask(u32 pass) const { return (1u << smaller(digit_bits, bits.end - shift(pass))) - 1; }
};

// A look-back word: 2 bits of state, 6 bits of pass, 56 bits of count.
//   63 62 | 61 .. 56 | 55 .. 0
enum DigitState : u64 { digit_has_count = 1, digit_has_prefix = 2 };

__device__ inline u64 look_back_word(DigitState state, u32 pass, u64 count) {
  return u64(state) << 62 | u64(pass + 1) << 56 | count;
}
__device__ inline u64 state_of(u64 word, u32 pass) {
  return (word >> 56 & 63) == pass + 1 ? word >> 62 : 0;
}
__device__ inline u64 count_of(u64 word) {
  return word & ((u64{1} << 56) - 1);
}

/// Relaxed: a word says all in one load, nothing else hangs on it.
__device__ inline u64 load_word(const u64* p) {
  u64 word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(p) : "memory");
  return word;
}
__device__ inline void store_word(u64* p, u64 word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(word) : "memory");
}

/// Scratch that all passes share, cleared before the first.
struct SortTables {
  u32* tickets;  // one for each pass
  u32* bases;    // [pass][digit]: counts, then first places
  u64* words;    // [tile][digit]

  static u64 clear_bytes(u64 tile_count) {
    return most_passes * sizeof(u64) + most_passes * digit_count * sizeof(u32) +
           tile_count * digit_count * sizeof(u64);
  }
  static SortTables at(unsigned char* memory) {
    u32* tickets = reinterpret_cast<u32*>(memory);
    u32* bases = tickets + 2 * most_passes;
    return {tickets, bases, reinterpret_cast<u64*>(bases + most_passes * digit_count)};
  }
};

template <class Key, class KeyInput>
__global__ void __launch_bounds__(histogram_threads)
    digit_histogram_kernel(u64 n, KeyInput key_input, SortPasses passes, u32* counts) {
  __shared__ u32 local[most_passes * digit_count];
  for (u32 k = threadIdx.x; k < most_passes * digit_count; k += histogram_threads) local[k] = 0;
  __syncthreads();
  for (u64 i = u64(blockIdx.x) * histogram_threads + threadIdx.x; i < n; i += u64(gridDim.x) * histogram_threads) {
    const Key key = key_input(i);
    for (u32 pass = 0; pass < passes.count(); ++pass) {
      atomicAdd(&local[pass * digit_count + (u32(key >> passes.shift(pass)) & passes.mask(pass))], 1u);
    }
  }
  __syncthreads();
  for (u32 k = threadIdx.x; k < passes.count() * digit_count; k += histogram_threads) {
    if (local[k] > 0) atomicAdd(&counts[k], local[k]);
  }
}

/// The exclusive sum over the block's first 256 threads of `value`; all threads take part.
__device__ inline u32 scan_digits(u32 value, u32* warp_sums) {
  const u32 warp = threadIdx.x / warp_size;
  u32 sum = value;
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
    const u32 below = __shfl_up_sync(all_lanes, sum, distance);
    if (lane_id() >= distance) sum += below;
  }
  if (lane_id() == warp_size - 1) warp_sums[warp] = sum;
  __syncthreads();
  u32 before = 0;
  for (u32 k = 0; k < warp; ++k) before += warp_sums[k];
  return before + sum - value;
}

/// One block a pass turns the counts of its digits into first places.
static __global__ void digit_base_kernel(u32* counts) {
  __shared__ u32 warp_sums[digit_count / warp_size];
  u32& cell = counts[blockIdx.x * digit_count + threadIdx.x];
  cell = scan_digits(cell, warp_sums);
}

/// The lanes whose digit equals this lane's.
__device__ inline u32 lanes_of_same_digit(u32 digit) {
  u32 lanes = all_lanes;
#pragma unroll
  for (u32 bit = 0; bit < digit_bits; ++bit) {
    const u32 set = __ballot_sync(all_lanes, (digit >> bit & 1) != 0);
    lanes &= (digit >> bit & 1) != 0 ? set : ~set;
  }
  return lanes;
}

/// Keys of this digit in all tiles before this one, plus the digit's first place.
__device__ inline u64 look_back_digit(const u64* words, u32 tile, u32 digit, u32 pass) {
  u64 sum = 0;
  for (u32 id = tile - 1;;) {
    const u64 word = load_word(words + u64(id) * digit_count + digit);
    const u64 state = state_of(word, pass);
    if (state == 0) continue;
    sum += count_of(word);
    if (state == digit_has_prefix) return sum;
    --id;
  }
}

template <class Key>
struct SortShared {
  Key keys[sort_tile<Key>];  // the values after them
  u16 counts[sort_warps][digit_count];
  u32 offsets[digit_count];  // place in the output minus place in the tile
  u32 warp_sums[sort_warps];
  u32 tile;
};

/// Ranks a thread's keys among the keys of the same digit in its warp's part of the tile.
template <class Key>
__device__ void rank_keys(const Key (&keys)[sort_rows<Key>], u32 shift, u32 mask, u16* counts,
                          u32 (&ranks)[sort_rows<Key>]) {
#pragma unroll
  for (u32 k = 0; k < sort_rows<Key>; ++k) {
    const u32 digit = u32(keys[k] >> shift) & mask;
    const u32 lanes = lanes_of_same_digit(digit);
    const u32 lower = lanes & lower_lanes();
    const u32 before = counts[digit];
    __syncwarp();
    if (lower == 0) counts[digit] = u16(before + u32(__popc(lanes)));
    __syncwarp();
    ranks[k] = before + u32(__popc(lower));
  }
}

template <bool with_values, class Key, class KeyInput, class ValueInput>
__global__ void __launch_bounds__(sort_threads, 2)
    sort_pass_kernel(u64 n, KeyInput key_input, ValueInput value_input, Key* keys_out, u32* values_out,
                     SortPasses passes, u32 pass, SortTables tables) {
  constexpr u32 rows = sort_rows<Key>;
  __shared__ SortShared<Key> shared;
  const u32 thread = threadIdx.x, warp = thread / warp_size;
  const u32 shift = passes.shift(pass), mask = passes.mask(pass);

  if (thread == 0) shared.tile = atomicAdd(tables.tickets + pass, 1u);
  for (u32 k = thread; k < sort_warps * digit_count; k += sort_threads) (&shared.counts[0][0])[k] = 0;
  __syncthreads();
  const u32 tile = shared.tile;
  const u64 tile_begin = u64(tile) * sort_tile<Key>;
  const u32 tile_size = u32(smaller(n - tile_begin, u64{sort_tile<Key>}));

  // Load a warp's keys in rows. Past the end stand keys of the highest digit: they rank behind all others
  // and are not written.
  const u32 first = warp * (warp_size * rows) + lane_id();
  Key keys[rows];
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    const u32 i = first + k * warp_size;
    keys[k] = i < tile_size ? key_input(tile_begin + i) : ~Key{0};
  }

  u32 places[rows];
  rank_keys<Key>(keys, shift, mask, shared.counts[warp], places);
  __syncthreads();

  // A thread a digit: sum the warps' counts, publish the tile's, and scan them over the digits.
  u32 count = 0;
  if (thread < digit_count) {
    for (u32 w = 0; w < sort_warps; ++w) {
      const u32 warp_count = shared.counts[w][thread];
      shared.counts[w][thread] = u16(count);
      count += warp_count;
    }
    u64* word = tables.words + u64(tile) * digit_count + thread;
    if (tile == 0) {
      store_word(word,
                 look_back_word(digit_has_prefix, pass, tables.bases[pass * digit_count + thread] + u64{count}));
    } else {
      store_word(word, look_back_word(digit_has_count, pass, count));
    }
  }
  const u32 digit_begin = scan_digits(count, shared.warp_sums);
  if (thread < digit_count) {
    u64 before = tables.bases[pass * digit_count + thread];
    if (tile > 0) {
      before = look_back_digit(tables.words, tile, thread, pass);
      store_word(tables.words + u64(tile) * digit_count + thread,
                 look_back_word(digit_has_prefix, pass, before + count));
    }
    shared.offsets[thread] = u32(before) - digit_begin;
    for (u32 w = 0; w < sort_warps; ++w) shared.counts[w][thread] = u16(shared.counts[w][thread] + digit_begin);
  }
  __syncthreads();

  // Bring the keys into the order of their digits in shared memory, and write runs of them.
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    places[k] += shared.counts[warp][u32(keys[k] >> shift) & mask];
    shared.keys[places[k]] = keys[k];
  }
  __syncthreads();
  u32 targets[rows];
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    const u32 i = thread + k * sort_threads;
    const Key key = shared.keys[i];
    targets[k] = shared.offsets[u32(key >> shift) & mask] + i;
    if (i < tile_size) keys_out[targets[k]] = key;
  }

  if constexpr (with_values) {
    u32* values = reinterpret_cast<u32*>(shared.keys);
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < rows; ++k) {
      const u32 i = first + k * warp_size;
      if (i < tile_size) values[places[k]] = value_input(tile_begin + i);
    }
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < rows; ++k) {
      const u32 i = thread + k * sort_threads;
      if (i < tile_size) values_out[targets[k]] = values[i];
    }
  }
}

template <bool with_values, class Key, class KeyInput, class ValueInput>
struct CopyPairs {
  KeyInput key_input;
  ValueInput value_input;
  Key* keys_out;
  u32* values_out;

  __device__ void operator()(u64 i) const {
    keys_out[i] = key_input(i);
    if constexpr (with_values) values_out[i] = value_input(i);
  }
};

template <bool with_values, class Key, class KeyInput, class ValueInput>
void run_sort_pass(const Executor& ex, const char* label, u64 n, KeyInput key_input, ValueInput value_input,
                   Key* keys_out, u32* values_out, SortPasses passes, u32 pass, SortTables tables) {
  launch(ex, label, sort_pass_kernel<with_values, Key, KeyInput, ValueInput>,
         {divide_rounding_up(n, sort_tile<Key>), sort_threads}, n, key_input, value_input, keys_out, values_out,
         passes, pass, tables);
}

template <bool with_values, class Key, class KeyInput, class ValueInput>
void radix_sort(const Executor& ex, const char* label, u64 n, KeyInput key_input, ValueInput value_input,
                Key* keys_out, u32* values_out, BitRange bits) {
  static_assert(std::is_same_v<Key, u32> || std::is_same_v<Key, u64>);
  if (n == 0) return;
  const SortPasses passes{bits};
  if (passes.count() == 0) {
    for_each(ex, label, n,
             CopyPairs<with_values, Key, KeyInput, ValueInput>{key_input, value_input, keys_out, values_out});
    return;
  }
  ScratchArena::Frame frame(ex.scratch);
  const u64 clear_bytes = SortTables::clear_bytes(divide_rounding_up(n, sort_tile<Key>));
  auto* memory = frame.allocate<unsigned char>(clear_bytes);
  const SortTables tables = SortTables::at(memory);

  // Count the digits of all passes.
  fill_bytes(ex, label, memory, clear_bytes, 0);
  const u64 blocks =
      smaller(divide_rounding_up(n, histogram_threads * histogram_items), u64{8} * ex.multiprocessor_count);
  launch(ex, label, digit_histogram_kernel<Key, KeyInput>, {blocks, histogram_threads}, n, key_input, passes,
         tables.bases);
  launch(ex, label, digit_base_kernel, {passes.count(), digit_count}, tables.bases);

  // Go to and fro so that the last pass ends in the output.
  const u32 last = passes.count() - 1;
  Key* keys[2] = {keys_out, last > 0 ? frame.allocate<Key>(n) : nullptr};
  u32* values[2] = {values_out, with_values && last > 0 ? frame.allocate<u32>(n) : nullptr};
  u32 at = last % 2;
  run_sort_pass<with_values>(ex, label, n, key_input, value_input, keys[at], values[at], passes, 0, tables);
  for (u32 pass = 1; pass <= last; ++pass) {
    const Elements<Key> sorted_keys{keys[at]};
    const Elements<u32> sorted_values{values[at]};
    at = 1 - at;
    run_sort_pass<with_values>(ex, label, n, sorted_keys, sorted_values, keys[at], values[at], passes, pass,
                               tables);
  }
}

struct NoValues {
  __device__ u32 operator()(u64) const { return 0; }
};

}  // namespace detail

template <class Key>
u64 radix_sort_scratch_bytes(const Executor&, u64 n, bool with_values, BitRange bits) {
  const u32 pass_count = detail::SortPasses{bits}.count();
  if (n == 0 || pass_count == 0) return 0;
  const u64 tile_count = divide_rounding_up(n, detail::sort_tile<Key>);
  const u64 tables = ScratchArena::bytes_for<unsigned char>(detail::SortTables::clear_bytes(tile_count));
  if (pass_count == 1) return tables;
  return tables + ScratchArena::bytes_for<Key>(n) + (with_values ? ScratchArena::bytes_for<u32>(n) : 0);
}

/// Contract: primitives/radix_sort.h.
template <class Key, class KeyInput>
void radix_sort_keys(const Executor& ex, const char* label, u64 n, KeyInput key_input, Key* keys_out,
                     BitRange bits) {
  detail::radix_sort<false>(ex, label, n, key_input, detail::NoValues{}, keys_out, static_cast<u32*>(nullptr),
                            bits);
}

/// Contract: primitives/radix_sort.h.
template <class Key, class KeyInput, class ValueInput>
void radix_sort_pairs(const Executor& ex, const char* label, u64 n, KeyInput key_input, ValueInput value_input,
                      Key* keys_out, u32* values_out, BitRange bits) {
  detail::radix_sort<true>(ex, label, n, key_input, value_input, keys_out, values_out, bits);
}

}  // namespace copse::cuda
