#pragma once

// Least significant digit first, 8 bits a pass. Each pass counts the digits of a block of keys per worker,
// turns the counts into places by a scan in (digit, block) order, and scatters: stable, and equal to what
// CUDA gives, since a stable sort has one result.
//
// Keys go straight to their places. Collecting a cache line a digit first (Satish et al., "Fast Sort on CPUs
// and GPUs", SIGMOD 2010) took two to three times as long on cores with 2 MB of second-level cache.

#include <type_traits>

#include "primitives/cpu/for_each.h"
#include "primitives/cpu/workers.h"
#include "primitives/inputs.h"
#include "primitives/radix_sort.h"

namespace copse::cpu {

namespace detail {

inline constexpr u32 sort_digit_bits = 8;
inline constexpr u32 sort_digit_count = 1u << sort_digit_bits;
inline constexpr u64 sort_least_block = 1u << 14;

struct NoValues {
  COPSE_HD u32 operator()(u64) const { return 0; }
};

/// Blocks of equal size, about two for each worker.
struct SortBlocks {
  u64 n, count, size;

  SortBlocks(const Executor& ex, u64 n_)
      : n(n_),
        count(smaller(larger(n_ / sort_least_block, u64{1}), u64{2} * ex.workers.count())),
        size(divide_rounding_up(n_, count)) {}
  u64 begin(u64 block) const { return smaller(block * size, n); }
  u64 end(u64 block) const { return smaller((block + 1) * size, n); }
};

/// counts[block][digit] becomes the first place of that block's keys of that digit.
inline bool turn_counts_into_places(u32* counts, u64 block_count, u64 n) {
  u32 place = 0;
  for (u32 digit = 0; digit < sort_digit_count; ++digit) {
    const u32 digit_begin = place;
    for (u64 block = 0; block < block_count; ++block) {
      u32& cell = counts[block * sort_digit_count + digit];
      const u32 count = cell;
      cell = place;
      place += count;
    }
    if (place - digit_begin == n) return false;  // every key has this digit: nothing would move
  }
  return true;
}

/// One pass by the digit of `width` bits at `shift`. False where all keys share it, and nothing was written.
template <bool with_values, class Key, class KeyInput, class ValueInput>
bool sort_pass(const Executor& ex, const char* label, const SortBlocks& blocks, u32* counts, u32 shift, u32 width,
               const KeyInput& key_input, const ValueInput& value_input, Key* keys_out, u32* values_out) {
  const u32 mask = (1u << width) - 1;
  parallel_ranges(ex, label, blocks.count, 1, [&](u64 begin, u64 end) {
    for (u64 block = begin; block < end; ++block) {
      u32 local[sort_digit_count] = {};
      for (u64 i = blocks.begin(block); i < blocks.end(block); ++i) ++local[u32(key_input(i) >> shift) & mask];
      std::memcpy(counts + block * sort_digit_count, local, sizeof local);
    }
  });
  if (!turn_counts_into_places(counts, blocks.count, blocks.n)) return false;

  parallel_ranges(ex, label, blocks.count, 1, [&](u64 begin, u64 end) {
    for (u64 block = begin; block < end; ++block) {
      u32 places[sort_digit_count];
      std::memcpy(places, counts + block * sort_digit_count, sizeof places);
      for (u64 i = blocks.begin(block); i < blocks.end(block); ++i) {
        const Key key = key_input(i);
        const u32 place = places[u32(key >> shift) & mask]++;
        keys_out[place] = key;
        if constexpr (with_values) values_out[place] = value_input(i);
      }
    }
  });
  return true;
}

template <bool with_values, class Key, class KeyInput, class ValueInput>
void radix_sort(const Executor& ex, const char* label, u64 n, KeyInput key_input, ValueInput value_input,
                Key* keys_out, u32* values_out, BitRange bits) {
  if (n == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  const SortBlocks blocks(ex, n);
  u32* counts = frame.allocate<u32>(blocks.count * sort_digit_count);
  Key* keys[2] = {keys_out, frame.allocate<Key>(n)};
  u32* values[2] = {values_out, with_values ? frame.allocate<u32>(n) : nullptr};

  // The passes go to and fro between output and scratch; `at` is where the keys stand, -1 in the input.
  int at = -1;
  for (u32 shift = bits.begin; shift < bits.end; shift += sort_digit_bits) {
    const u32 width = smaller(sort_digit_bits, bits.end - shift);
    const int to = at < 0 ? 0 : 1 - at;
    const bool moved =
        at < 0 ? sort_pass<with_values>(ex, label, blocks, counts, shift, width, key_input, value_input, keys[to],
                                        values[to])
               : sort_pass<with_values>(ex, label, blocks, counts, shift, width, Elements<Key>{keys[at]},
                                        Elements<u32>{values[at]}, keys[to], values[to]);
    if (moved) at = to;
  }
  if (at == 0) return;
  parallel_ranges(ex, label, n, u64{1} << 16, [&](u64 begin, u64 end) {
    for (u64 i = begin; i < end; ++i) {
      keys_out[i] = at < 0 ? key_input(i) : keys[1][i];
      if constexpr (with_values) values_out[i] = at < 0 ? value_input(i) : values[1][i];
    }
  });
}

}  // namespace detail

template <class Key>
u64 radix_sort_scratch_bytes(const Executor& ex, u64 n, bool with_values, BitRange) {
  if (n == 0) return 0;
  const detail::SortBlocks blocks(ex, n);
  return ScratchArena::bytes_for<u32>(blocks.count * detail::sort_digit_count) + ScratchArena::bytes_for<Key>(n) +
         (with_values ? ScratchArena::bytes_for<u32>(n) : 0);
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

}  // namespace copse::cpu
