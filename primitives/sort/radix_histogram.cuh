#pragma once

// Counts the digits of all passes of a radix sort in one read of the keys.

#include <type_traits>
#include <utility>

#include "primitives/cuda/block.cuh"
#include "primitives/radix_key.h"
#include "primitives/select/pack.cuh"
#include "primitives/sort/distribute.cuh"

namespace copse::cuda::detail {

inline constexpr u32 max_histogram_threads = 1024;

/// The passes over a range of bits. Digits have 8 bits; the last one may be shorter.
struct SortPasses {
  BitRange bits;

  COPSE_HD u32 count() const { return (bits.end - bits.begin + bucket_bits - 1) / bucket_bits; }
  COPSE_HD u32 shift(u32 pass) const { return bits.begin + pass * bucket_bits; }
  COPSE_HD u32 width(u32 pass) const { return smaller(bucket_bits, bits.end - shift(pass)); }
};

/// Counts the digits of one key, either for all passes that a key of its width can have or for those that are
/// needed.
template <bool all_passes, class Bits>
__device__ void count_key_digits(const Bits& key, SortPasses passes, u32 copies, u32* counts) {
  constexpr u32 max_passes = sizeof(Bits) * 8 / bucket_bits;
  if constexpr (std::is_integral_v<Bits>) {
    // With the range shifted to bit 0, the positions of the digits are constants.
    const u32 bit_count = passes.bits.end - passes.bits.begin, pass_count = passes.count();
    const Bits digits =
        Bits(Bits(key >> passes.bits.begin) & Bits(Bits(~Bits{0}) >> (sizeof(Bits) * 8 - bit_count)));
#pragma unroll
    for (u32 pass = 0; pass < max_passes; ++pass) {
      if (!all_passes && pass >= pass_count) break;
      const u32 digit = u32(digits >> (pass * bucket_bits)) & (bucket_limit - 1);
      atomicAdd(counts + (pass * bucket_limit + digit) * copies, 1u);
    }
  } else {
    for (u32 pass = 0; pass < passes.count(); ++pass) {
      const u32 digit = digit_of(key, passes.shift(pass), passes.width(pass));
      atomicAdd(counts + (pass * bucket_limit + digit) * copies, 1u);
    }
  }
}

/// Returns the function that a thread calls for its keys. An input function that has to load or compute something
/// before the first of many calls has a member ready(), which returns the function to call.
template <class BitsInput>
__device__ auto ready_input(const BitsInput& input) {
  if constexpr (requires { input.ready(); }) {
    return input.ready();
  } else {
    return input;
  }
}

/// An input function that also stores may have two more members. start(i) loads. finish(i, started) takes the
/// result of start, stores, and returns the key. So the loads for several keys are in flight before the first
/// store; later loads cannot overtake a store.
template <class BitsInput>
concept StartsAndFinishes = requires(const BitsInput& input) {
  input.start(u64{});
};

template <class BitsInput>
struct StartOfInput {
  using Started = decltype(std::declval<const BitsInput&>()(u64{}));
  __device__ static Started start(const BitsInput& input, u64 i) { return input(i); }
  __device__ static Started finish(const BitsInput&, u64, const Started& started) { return started; }
};
template <StartsAndFinishes BitsInput>
struct StartOfInput<BitsInput> {
  using Started = decltype(std::declval<const BitsInput&>().start(u64{}));
  __device__ static Started start(const BitsInput& input, u64 i) { return input.start(i); }
  __device__ static auto finish(const BitsInput& input, u64 i, const Started& started) {
    return input.finish(i, started);
  }
};

/// The number of neighbouring keys that a thread reads, and how many times it does so at once.
template <class Bits, class BitsInput>
inline constexpr u32 keys_of_run = std::is_same_v<BitsInput, Elements<Bits>> ? pack_size<Bits> : 1;
template <class Bits, class BitsInput>
inline constexpr u32 runs_of_thread = std::is_same_v<BitsInput, Elements<Bits>>                          ? 2
                                      : sizeof(typename StartOfInput<BitsInput>::Started) <= sizeof(u64) ? 8
                                                                                                         : 4;

/// Counts the digits of all keys. Threads read whole words of an array. From a function, neighbouring threads read
/// neighbouring keys.
template <bool all_passes, class Bits, class BitsInput>
__device__ void count_all_digits(u64 n, const BitsInput& bits_input, bool input_in_words,
                                 const KeyEncoding<Bits>& encoding, SortPasses passes, u32 copies, u32* counts) {
  constexpr bool is_array = std::is_same_v<BitsInput, Elements<Bits>>;
  constexpr u32 size = keys_of_run<Bits, BitsInput>, runs_at_once = runs_of_thread<Bits, BitsInput>;
  const u64 first = u64(blockIdx.x) * blockDim.x + threadIdx.x, stride = u64(gridDim.x) * blockDim.x;
  u64 run = first;
  for (; (run + (runs_at_once - 1) * stride + 1) * size <= n; run += runs_at_once * stride) {
    Bits keys[runs_at_once][size];
    if constexpr (is_array) {
#pragma unroll
      for (u32 j = 0; j < runs_at_once; ++j) {
        const Pack<Bits> pack = load_pack<Bits>(bits_input, (run + j * stride) * size, n, input_in_words);
#pragma unroll
        for (u32 k = 0; k < size; ++k) keys[j][k] = pack[k];
      }
    } else {
      using Start = StartOfInput<BitsInput>;
      typename Start::Started started[runs_at_once];
#pragma unroll
      for (u32 j = 0; j < runs_at_once; ++j) started[j] = Start::start(bits_input, run + j * stride);
#pragma unroll
      for (u32 j = 0; j < runs_at_once; ++j) keys[j][0] = Start::finish(bits_input, run + j * stride, started[j]);
    }
#pragma unroll
    for (u32 k = 0; k < runs_at_once * size; ++k) {
      count_key_digits<all_passes>(encoding.encode(keys[k / size][k % size]), passes, copies, counts);
    }
  }
  for (; run * size < n; run += stride) {
    for (u64 i = run * size; i < smaller((run + 1) * size, n); ++i) {
      count_key_digits<all_passes>(encoding.encode(bits_input(i)), passes, copies, counts);
    }
  }
}

/// Adds the counts to totals[pass][digit], and sets the look-back table of the passes to all ones. A block has
/// several copies of its counts, which lanes use in turn, since conflicts between lanes determine the time.
template <class Bits, class BitsInput>
__global__ void __launch_bounds__(max_histogram_threads, 1)
    digit_histogram_kernel(u64 n, BitsInput bits_input, bool input_in_words, KeyEncoding<Bits> encoding,
                           SortPasses passes, u32 copies, u64* totals, u64* words, u64 word_count) {
  extern __shared__ u32 histogram_counts[];
  let_next_launch_start();
  const u32 cell_count = passes.count() * bucket_limit;
  for (u32 k = threadIdx.x; k < cell_count * copies; k += blockDim.x) histogram_counts[k] = 0;
  __syncthreads();
  wait_for_earlier_launch();

  u32* const own_counts = histogram_counts + (lane_id() & (copies - 1));
  const auto input = ready_input(bits_input);
  if (passes.count() * bucket_bits == sizeof(Bits) * 8) {
    count_all_digits<true>(n, input, input_in_words, encoding, passes, copies, own_counts);
  } else {
    count_all_digits<false>(n, input, input_in_words, encoding, passes, copies, own_counts);
  }
  const u64 first = u64(blockIdx.x) * blockDim.x + threadIdx.x, stride = u64(gridDim.x) * blockDim.x;
  for (u64 k = first; k < word_count; k += stride) words[k] = ~u64{0};
  __syncthreads();
  for (u32 k = threadIdx.x; k < cell_count; k += blockDim.x) {
    u32 sum = 0;
    for (u32 c = 0; c < copies; ++c) sum += histogram_counts[k * copies + ((c + k) & (copies - 1))];
    if (sum > 0) fetch_add_relaxed(totals + k, u64{sum});
  }
}

/// Turns the totals of the digits into first places, one block per pass, and leaves the totals zero.
static __global__ void digit_base_kernel(u64* totals, u64* bases) {
  __shared__ BlockStorage<u64, bucket_limit> storage;
  overlap_launches();
  const u32 cell = blockIdx.x * bucket_limit + threadIdx.x;
  const u64 total = totals[cell];
  bases[cell] = block_inclusive_scan<bucket_limit>(total, Plus{}, storage).inclusive - total;
  totals[cell] = 0;
}

template <class Bits, class BitsInput>
void count_digits(const Executor& ex, const char* label, u64 n, const BitsInput& bits_input,
                  const KeyEncoding<Bits>& encoding, SortPasses passes, u64* totals, u64* words, u64 word_count) {
  constexpr u64 few_keys = u64{1} << 19, many_keys = u64{1} << 22;
  const u32 max_shared_bytes = smaller(128u << 10, ex.max_shared_bytes);
  bool input_in_words = false;
  if constexpr (std::is_same_v<BitsInput, Elements<Bits>>) input_in_words = is_aligned_to_words(bits_input.data);

  // Many keys: one block per multiprocessor, with a copy of the counts for each lane if they fit.
  const u32 bytes = passes.count() * bucket_limit * sizeof(u32);
  u32 copies = n < few_keys || bytes > (4u << 10) ? 4 : 8, threads = 512;
  constexpr bool is_array = std::is_same_v<BitsInput, Elements<Bits>>;
  constexpr u32 keys_of_thread = is_array ? keys_of_run<Bits, BitsInput> * runs_of_thread<Bits, BitsInput> : 1;
  constexpr u32 max_blocks = is_array ? 3 : 2;  // per multiprocessor; functions of the index need more registers
  u64 blocks = smaller(divide_rounding_up(n, threads * keys_of_thread), u64{max_blocks} * ex.multiprocessor_count);
  if (n >= many_keys) {
    while (copies < warp_size && 2 * copies * bytes <= max_shared_bytes) copies *= 2;
    threads = max_histogram_threads;
    blocks = ex.multiprocessor_count;
  }
  launch(ex, label, digit_histogram_kernel<Bits, BitsInput>, {blocks, threads, bytes * copies, true}, n,
         bits_input, input_in_words, encoding, passes, copies, totals, words, word_count);
}

}  // namespace copse::cuda::detail
