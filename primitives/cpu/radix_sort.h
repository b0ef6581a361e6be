#pragma once

// Least significant digit first, 8 bits per pass. Each pass counts the digits of each block of keys, turns the
// counts into places by a scan in (digit, block) order, and scatters. It is stable, so the result equals that of
// CUDA: a stable sort has one result.
//
// Keys go straight to their places. Collecting one cache line per digit first (Satish et al., "Fast Sort on CPUs
// and GPUs", SIGMOD 2010) took two to three times as long on cores with 2 MB of second-level cache.

#include "primitives/cpu/for_each.h"
#include "primitives/cpu/workers.h"
#include "primitives/inputs.h"
#include "primitives/radix_sort.h"

namespace copse::cpu {

namespace detail {

inline constexpr u32 sort_digit_bits = 8;
inline constexpr u32 sort_digit_count = 1u << sort_digit_bits;
inline constexpr u64 sort_min_block = 1u << 14;

using copse::detail::has_value;
using copse::detail::NoValueInput;

/// Blocks of equal size, about two for each worker.
struct SortBlocks {
  u64 n, count, size;

  SortBlocks(const Executor& ex, u64 n_)
      : n(n_),
        count(smaller(larger(n_ / sort_min_block, u64{1}), u64{2} * ex.workers.count())),
        size(divide_rounding_up(n_, count)) {}
  u64 begin(u64 block) const { return smaller(block * size, n); }
  u64 end(u64 block) const { return smaller((block + 1) * size, n); }
};

/// Sets counts[block][digit] to the first place of the keys of that block with that digit. Returns false if all
/// keys have the same digit, since then nothing would move.
inline bool turn_counts_into_places(u64* counts, u64 block_count, u64 n) {
  u64 place = 0;
  for (u32 digit = 0; digit < sort_digit_count; ++digit) {
    const u64 digit_begin = place;
    for (u64 block = 0; block < block_count; ++block) {
      u64& cell = counts[block * sort_digit_count + digit];
      const u64 count = cell;
      cell = place;
      place += count;
    }
    if (place - digit_begin == n) return false;
  }
  return true;
}

/// The digit of a key in a pass. Keys stay in memory as they are, and are encoded when a digit is read. Keys that
/// need no encoding skip it: testing the sign of each would take twice as long as the rest.
template <class Bits, bool encoded>
struct SortDigit {
  u32 shift, width;
  KeyEncoding<Bits> encoding;
  u32 operator()(const Bits& key) const {
    if constexpr (encoded) return digit_of(encoding.encode(key), shift, width);
    return digit_of(key, shift, width);
  }
};

/// Makes one pass. Returns false if all keys have the same digit; then nothing was written.
template <class Bits, class Value, class Digit, class BitsInput, class ValueInput>
bool sort_pass(const Executor& ex, const char* label, const SortBlocks& blocks, u64* counts, const Digit& digit,
               const BitsInput& bits_input, const ValueInput& value_input, Bits* keys_out, Value* values_out) {
  // The loops use local copies, since the compiler knows that no store can alias them.
  parallel_ranges(ex, label, blocks.count, 1, [=](u64 begin, u64 end) {
    for (u64 block = begin; block < end; ++block) {
      u64 local[sort_digit_count] = {};
      for (u64 i = blocks.begin(block); i < blocks.end(block); ++i) ++local[digit(bits_input(i))];
      std::memcpy(counts + block * sort_digit_count, local, sizeof local);
    }
  });
  if (!turn_counts_into_places(counts, blocks.count, blocks.n)) return false;

  parallel_ranges(ex, label, blocks.count, 1, [=](u64 begin, u64 end) {
    const Digit digit_of_key = digit;
    const BitsInput bits = bits_input;
    const ValueInput values = value_input;
    Bits* const keys_to = keys_out;
    Value* const values_to = values_out;
    for (u64 block = begin; block < end; ++block) {
      u64 places[sort_digit_count];
      std::memcpy(places, counts + block * sort_digit_count, sizeof places);
      const u64 last = blocks.end(block);
      for (u64 i = blocks.begin(block); i < last; ++i) {
        const Bits key = bits(i);
        const u64 place = places[digit_of_key(key)]++;
        keys_to[place] = key;
        if constexpr (has_value<Value>) values_to[place] = values(i);
      }
    }
  });
  return true;
}

template <class Bits, class Value, class BitsInput, class ValueInput>
void copy_elements(const Executor& ex, const char* label, u64 n, const BitsInput& bits_input,
                   const ValueInput& value_input, Bits* keys_out, Value* values_out) {
  parallel_ranges(ex, label, n, u64{1} << 16, [&](u64 begin, u64 end) {
    for (u64 i = begin; i < end; ++i) {
      if (keys_out != nullptr) keys_out[i] = bits_input(i);
      if constexpr (has_value<Value>) values_out[i] = value_input(i);
    }
  });
}

template <bool encoded, class Bits, class Value, class BitsInput, class ValueInput>
void radix_sort(const Executor& ex, const char* label, u64 n, const BitsInput& bits_input,
                const ValueInput& value_input, Bits* keys_out, Value* values_out, BitRange bits,
                const KeyEncoding<Bits>& encoding) {
  if (n == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  const SortBlocks blocks(ex, n);
  u64* counts = frame.allocate<u64>(blocks.count * sort_digit_count);
  Bits* keys[2] = {keys_out != nullptr ? keys_out : frame.allocate<Bits>(n), frame.allocate<Bits>(n)};
  Value* values[2] = {values_out, has_value<Value> ? frame.allocate<Value>(n) : nullptr};

  // The passes alternate between output and scratch; `at` is the array that holds the keys, -1 for the input.
  int at = -1;
  for (u32 shift = bits.begin; shift < bits.end; shift += sort_digit_bits) {
    const SortDigit<Bits, encoded> digit{shift, smaller(sort_digit_bits, bits.end - shift), encoding};
    const int to = at < 0 ? 0 : 1 - at;
    const bool moved = at < 0 ? sort_pass<Bits, Value>(ex, label, blocks, counts, digit, bits_input, value_input,
                                                       keys[to], values[to])
                              : sort_pass<Bits, Value>(ex, label, blocks, counts, digit, Elements<Bits>{keys[at]},
                                                       Elements<Value>{values[at]}, keys[to], values[to]);
    if (moved) at = to;
  }
  if (at == 0) return;
  if (at < 0) {
    copy_elements(ex, label, n, bits_input, value_input, keys_out, values_out);
  } else {
    copy_elements(ex, label, n, Elements<Bits>{keys[1]}, Elements<Value>{values[1]}, keys_out, values_out);
  }
}

template <class Bits, class Value, class BitsInput, class ValueInput>
void radix_sort(const Executor& ex, const char* label, u64 n, const BitsInput& bits_input,
                const ValueInput& value_input, Bits* keys_out, Value* values_out, BitRange bits,
                const KeyEncoding<Bits>& encoding) {
  if (encoding.with_sign == Bits{} && encoding.without_sign == Bits{}) {
    radix_sort<false>(ex, label, n, bits_input, value_input, keys_out, values_out, bits, encoding);
  } else {
    radix_sort<true>(ex, label, n, bits_input, value_input, keys_out, values_out, bits, encoding);
  }
}

}  // namespace detail

/// Contract: primitives/radix_sort.h.
template <class Key>
u64 radix_sort_keys_scratch_bytes(const Executor& ex, u64 n, BitRange) {
  if (n == 0) return 0;
  const detail::SortBlocks blocks(ex, n);
  return ScratchArena::bytes_for<u64>(blocks.count * detail::sort_digit_count) + ScratchArena::bytes_for<Key>(n);
}

/// Contract: primitives/radix_sort.h. If the output of the keys is null, it takes the size of one key array more.
template <class Key, class Value>
u64 radix_sort_pairs_scratch_bytes(const Executor& ex, u64 n, BitRange bits) {
  return n == 0 ? 0 : radix_sort_keys_scratch_bytes<Key>(ex, n, bits) + ScratchArena::bytes_for<Value>(n);
}

/// Sorts keys that are given as bits and their encoding.
template <class Bits, class BitsInput>
void radix_sort_encoded(const Executor& ex, const char* label, u64 n, BitsInput bits_input, Bits* keys_out,
                        BitRange bits, const KeyEncoding<Bits>& encoding) {
  detail::radix_sort<Bits, NoValue>(ex, label, n, bits_input, detail::NoValueInput{}, keys_out, nullptr, bits,
                                    encoding);
}
template <class Bits, class Value, class BitsInput, class ValueInput>
void radix_sort_encoded(const Executor& ex, const char* label, u64 n, BitsInput bits_input, ValueInput value_input,
                        Bits* keys_out, Value* values_out, BitRange bits, const KeyEncoding<Bits>& encoding) {
  detail::radix_sort<Bits, Value>(ex, label, n, bits_input, value_input, keys_out, values_out, bits, encoding);
}

/// Stores the indices of the keys in sorted order. Each key is read once by `bits_input`, which may be slow.
template <class Bits, class BitsInput>
void radix_sort_read_once(const Executor& ex, const char* label, u64 n, BitsInput bits_input, u32* indices_out,
                          BitRange bits, const KeyEncoding<Bits>& encoding) {
  ScratchArena::Frame frame(ex.scratch);
  Bits* copy = frame.allocate<Bits>(n);
  detail::copy_elements(ex, label, n, bits_input, detail::NoValueInput{}, copy, static_cast<NoValue*>(nullptr));
  detail::radix_sort<Bits, u32>(ex, label, n, Elements<Bits>{copy}, Index{}, static_cast<Bits*>(nullptr),
                                indices_out, bits, encoding);
}

using copse::radix_sort_keys;
using copse::radix_sort_pairs;

}  // namespace copse::cpu
