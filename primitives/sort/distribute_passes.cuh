#pragma once

// What several distributions over the same items share: a radix sort has one a digit, a split into more than 256
// buckets has two.

#include "primitives/cuda/for_each.cuh"
#include "primitives/sort/distribute.cuh"
#include "primitives/sort/radix_histogram.cuh"

namespace copse::cuda::detail {

inline constexpr u32 max_passes = 16;

/// What is zero between calls.
struct PassZeroes {
  u32 ticket;
  alignas(8) u64 totals[max_passes * bucket_limit];
};
static_assert(sizeof(PassZeroes) <= ZeroedMemory::bytes);

/// A pass over more items than one launch takes is cut into parts of whole tiles, one after another.
template <class Item>
u64 items_of_part(u64 n) {
  constexpr u64 tile = distribute_tile<Item, TileSize::large>;
  return n <= max_items_at_once ? n : max_items_at_once / tile * tile;
}

/// The passes' scratch.
struct PassMemory {
  u64* words;  // of the look-back table
  u64 word_count;
  u64* bases;  // where there are several parts: [2][pass][bucket]
};

template <class Item>
PassMemory allocate_pass_memory(const Executor& ex, ScratchArena::Frame& frame, u64 n, u32 pass_count) {
  const u64 word_count = distribute_word_count<Item>(ex, items_of_part<Item>(n));
  PassMemory memory{frame.allocate<u64>(word_count), word_count, nullptr};
  if (items_of_part<Item>(n) < n) memory.bases = frame.allocate<u64>(2 * u64{pass_count} * bucket_limit);
  return memory;
}

template <class Item>
u64 pass_scratch_bytes(const Executor& ex, u64 n, u32 pass_count) {
  const u64 bytes = ScratchArena::bytes_for<u64>(distribute_word_count<Item>(ex, items_of_part<Item>(n)));
  return items_of_part<Item>(n) == n ? bytes
                                     : bytes + ScratchArena::bytes_for<u64>(2 * u64{pass_count} * bucket_limit);
}

/// Counts what all passes need to know. `key_input(i)` gives the bits that the passes go by.
template <class Bits, class BitsInput>
void prepare_passes(const Executor& ex, const char* label, u64 n, const BitsInput& bits_input,
                    const KeyEncoding<Bits>& encoding, SortPasses passes, PassZeroes* zeroes,
                    const PassMemory& memory) {
  count_digits<Bits>(ex, label, n, bits_input, encoding, passes, zeroes->totals, memory.words, memory.word_count);
  if (memory.bases != nullptr) {
    launch(ex, label, digit_base_kernel,
           {.blocks = passes.count(), .threads = bucket_limit, .overlaps_earlier_launch = true}, zeroes->totals,
           memory.bases);
  }
}

/// The buckets' places in the output of a single pass, for the caller.
struct PassOffsets {
  u64* offsets = nullptr;
  u32 count = 0;
};

template <class Item, class Source, class BucketOf, class Sink>
void run_pass(const Executor& ex, const char* label, u64 n, const Source& source, const BucketOf& bucket_of,
              const Sink& sink, u32 pass, u32 pass_count, PassZeroes* zeroes, const PassMemory& memory,
              PassOffsets offsets = {}) {
  const u64 part = items_of_part<Item>(n);
  if (part == n) {
    u64* totals = zeroes->totals + pass * bucket_limit;
    distribute<Item>(ex, label, 0, n, source, bucket_of, sink,
                     {&zeroes->ticket, totals, nullptr, nullptr, memory.words, pass % 2, false, offsets.offsets,
                      offsets.count});
    return;
  }
  u64* bases[2] = {memory.bases + pass * bucket_limit, memory.bases + (pass_count + pass) * bucket_limit};
  if (offsets.count > 0) for_each(ex, label, offsets.count, CopyElements<u64>{bases[0], offsets.offsets});
  for (u64 k = 0; k * part < n; ++k) {
    fill_bytes(ex, label, memory.words, memory.word_count, 0xff);
    distribute<Item>(ex, label, k * part, smaller(part, n - k * part), source, bucket_of, sink,
                     {&zeroes->ticket, nullptr, bases[k % 2], bases[1 - k % 2], memory.words, 0});
  }
}

}  // namespace copse::cuda::detail
