#pragma once

// Blocks count in tables in shared memory and add them to the result at their end. If there is room, the lanes of
// a warp use several copies of the table. The copies are interleaved, so that lanes conflict neither at a counter
// nor at a bank. If not even one table fits, the blocks of a group read the same values, and each counts its part
// of the bins. Values of one byte are counted by value, and the counts go to their bins at the end: finding the
// bin of each value took more time than counting it. bench: copse-bench-primitives, histogram/.

#include <type_traits>

#include "primitives/core/atomic.h"
#include "primitives/cuda/block.cuh"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/inputs.h"
#include "primitives/select/pack.cuh"

namespace copse::cuda {

namespace detail {

inline constexpr u32 histogram_block_threads = 1024;
inline constexpr u32 histogram_packs = 2;  // in flight per thread
inline constexpr u64 histogram_max_parts = 8;

/// The values that a block reads at once.
template <class T>
inline constexpr u64 histogram_tile = u64{histogram_block_threads} * u64{histogram_packs} * Pack<T>::size;

/// The layout of bins in shared memory: bin b of part p has counters [(b - p * bins) * copies, + copies).
struct HistogramTable {
  u32 parts, bins, copies;

  u32 bytes() const { return bins * copies * u32(sizeof(u32)); }
};

/// Returns the number of counters that one block may have. Every GPU gives 48 KiB by default. The data-centre GPUs
/// from 9.0 on have four times as much.
inline u64 histogram_max_counters(const Executor& ex) {
  constexpr u32 much = 200u << 10;
  return (ex.max_shared_bytes >= much ? much : 48u << 10) / sizeof(u32);
}

inline HistogramTable histogram_table(const Executor& ex, u64 bin_count) {
  constexpr u64 counters_for_copies = 8192;  // two blocks of 32 KiB each leave most to the L1 cache
  const u64 parts = divide_rounding_up(bin_count, histogram_max_counters(ex));
  const u64 bins = divide_rounding_up(bin_count, parts);
  u64 copies = 1;
  while (copies < warp_size && 2 * copies * bins <= counters_for_copies) copies *= 2;
  return {u32(parts), u32(bins), u32(copies)};
}

/// Calls take(value) for the values of a tile that this thread reads. Neighbouring threads read neighbouring
/// packs.
template <class T, class Input, class Take>
__device__ void take_values_of_tile(u64 first, u64 n, const Input& input, bool whole_words, const Take& take) {
  constexpr u32 size = Pack<T>::size;
  Pack<T> packs[histogram_packs];
#pragma unroll
  for (u32 p = 0; p < histogram_packs; ++p) {
    const u64 i = first + u64(p * histogram_block_threads + threadIdx.x) * size;
    packs[p] = load_pack<T>(input, i, n, whole_words);
  }
  if (first + histogram_tile<T> <= n) {
#pragma unroll
    for (u32 k = 0; k < histogram_packs * size; ++k) take(packs[k / size][k % size]);
    return;
  }
#pragma unroll
  for (u32 k = 0; k < histogram_packs * size; ++k) {
    const u64 i = first + u64(k / size * histogram_block_threads + threadIdx.x) * size + k % size;
    if (i < n) take(packs[k / size][k % size]);
  }
}

template <class T, class Input, class Bin>
__global__ void __launch_bounds__(histogram_block_threads)
    histogram_kernel(u64 n, Input input, bool whole_words, Bin bin, u32 bin_count, HistogramTable table,
                     u64* counts) {
  extern __shared__ u32 counters[];
  const u32 first_bin = blockIdx.x % table.parts * table.bins;
  const u32 bins = smaller(table.bins, bin_count - first_bin);
  for (u32 k = threadIdx.x; k < bins * table.copies; k += histogram_block_threads) counters[k] = 0;
  __syncthreads();

  u32* const copy = counters + lane_id() % table.copies;
  const u64 step = gridDim.x / table.parts * histogram_tile<T>;
  for (u64 first = blockIdx.x / table.parts * histogram_tile<T>; first < n; first += step) {
    take_values_of_tile<T>(first, n, input, whole_words, [&](const T& value) {
      const u32 b = bin(value) - first_bin;
      if (b < bins) atomicAdd(copy + b * table.copies, 1u);
    });
  }
  __syncthreads();

  for (u32 b = threadIdx.x; b < bins; b += histogram_block_threads) {
    u64 sum = 0;
    for (u32 k = 0; k < table.copies; ++k) sum += counters[b * table.copies + (k + b) % table.copies];
    if (sum > 0) fetch_add_relaxed(counts + first_bin + b, sum);
  }
}

/// Counts values of one byte. There are only 256 of them. So it counts the bytes, and asks for the bin of a byte
/// once, at the end. Each lane has its own counter of each byte, in its own bank.
template <class T, class Input, class Bin>
__global__ void __launch_bounds__(histogram_block_threads, 2)
    byte_histogram_kernel(u64 n, Input input, bool whole_words, Bin bin, u64 bin_count, u64* counts) {
  constexpr u32 byte_values = 256;
  __shared__ u32 counters[byte_values * warp_size];
  for (u32 k = threadIdx.x; k < byte_values * warp_size; k += histogram_block_threads) counters[k] = 0;
  __syncthreads();
  u32* const of_lane = counters + lane_id();
  for (u64 first = blockIdx.x * histogram_tile<T>; first < n; first += gridDim.x * histogram_tile<T>) {
    take_values_of_tile<T>(first, n, input, whole_words, [&](const T& value) {
      u8 byte;
      memcpy(&byte, &value, 1);
      atomicAdd(of_lane + byte * warp_size, 1u);
    });
  }
  __syncthreads();
  for (u32 byte = threadIdx.x / warp_size; byte < byte_values; byte += histogram_block_threads / warp_size) {
    const u64 sum = warp_reduce(u64{of_lane[byte * warp_size]}, Plus{});
    if (lane_id() != 0 || sum == 0) continue;
    const u8 bits = u8(byte);
    T value;
    memcpy(&value, &bits, 1);
    const u64 b = bin(value);
    if (b < bin_count) fetch_add_relaxed(counts + b, sum);
  }
}

/// Counts one value in device memory.
template <class Input, class Bin>
struct CountInMemory {
  Input input;
  Bin bin;
  u64 bin_count;
  u64* counts;

  __device__ void operator()(u64 i) const {
    const u64 b = bin(input(i));
    if (b < bin_count) fetch_add_relaxed(counts + b, u64{1});
  }
};

/// Returns the number of groups of blocks: no more than run at once, unless a counter would overflow.
inline u64 histogram_groups(const Executor& ex, u64 n, u64 tile_size, const HistogramTable& table) {
  constexpr u64 min_tiles = 4;  // per block, to be worth clearing and summing its table
  constexpr u64 max_values = u64{1} << 31;
  const u64 blocks_a_multiprocessor = table.bytes() <= 64u << 10 ? 2 : 1;
  const u64 resident = larger(ex.multiprocessor_count * blocks_a_multiprocessor / table.parts, u64{1});
  const u64 useful = larger(n / (min_tiles * tile_size), u64{1});
  return larger(smaller(resident, useful), divide_rounding_up(n, max_values));
}

}  // namespace detail

inline u64 histogram_scratch_bytes(const Executor&, u64, u64) {
  return 0;
}

/// Contract: primitives/histogram.h.
template <class Input, class Bin>
void histogram(const Executor& ex, const char* label, u64 n, Input input, Bin bin, u64 bin_count, u64* counts) {
  using T = std::decay_t<decltype(input(u64{0}))>;
  static_assert(sizeof(T) <= 64);
  fill_bytes(ex, label, counts, bin_count, 0);
  if (n == 0) return;
  bool whole_words = false;
  if constexpr (std::is_same_v<Input, Elements<T>>) whole_words = is_aligned_to_words(input.data);
  if constexpr (sizeof(T) == 1) {
    const u64 blocks = detail::histogram_groups(ex, n, detail::histogram_tile<T>, {1, 256, warp_size});
    launch(ex, label, detail::byte_histogram_kernel<T, Input, Bin>, {blocks, detail::histogram_block_threads}, n,
           input, whole_words, bin, bin_count, counts);
  } else {
    const u64 max_counters = detail::histogram_max_counters(ex);
    if (bin_count > detail::histogram_max_parts * max_counters) {
      return for_each(ex, label, n, detail::CountInMemory<Input, Bin>{input, bin, bin_count, counts});
    }
    const detail::HistogramTable table = detail::histogram_table(ex, bin_count);
    const u64 blocks = detail::histogram_groups(ex, n, detail::histogram_tile<T>, table) * table.parts;
    launch(ex, label, detail::histogram_kernel<T, Input, Bin>,
           {blocks, detail::histogram_block_threads, table.bytes()}, n, input, whole_words, bin, u32(bin_count),
           table, counts);
  }
}

}  // namespace copse::cuda
