#pragma once

// The items that move between the passes of a radix sort, and the memory that the passes share. A split into more
// than 256 buckets has two passes over the same items, too.
//
// A key and its value move in one piece, so that each pass scatters once, in runs twice as long as those of two
// arrays.

#include <cstring>

#include "primitives/cuda/for_each.cuh"
#include "primitives/inputs.h"
#include "primitives/radix_key.h"
#include "primitives/sort/distribute.cuh"
#include "primitives/sort/radix_histogram.cuh"

namespace copse::cuda::detail {

constexpr u32 alignment_for(u64 bytes) {
  return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
}

template <class Bits, class Value>
class SortItem {
 public:
  SortItem() = default;
  __device__ SortItem(const Bits& key, const Value& value) {
    memcpy(words_, &key, sizeof(Bits));
    memcpy(reinterpret_cast<unsigned char*>(words_) + sizeof(Bits), &value, sizeof(Value));
  }
  __device__ Bits key() const {
    Bits key;
    memcpy(&key, words_, sizeof(Bits));
    return key;
  }
  __device__ Value value() const {
    Value value;
    memcpy(&value, reinterpret_cast<const unsigned char*>(words_) + sizeof(Bits), sizeof(Value));
    return value;
  }

 private:
  static constexpr u32 word_count = (sizeof(Bits) + sizeof(Value) + 3) / 4;
  alignas(alignment_for(word_count * 4)) u32 words_[word_count];
};

template <class Bits>
class SortItem<Bits, NoValue> {
 public:
  SortItem() = default;
  __device__ SortItem(const Bits& key, NoValue) : key_(key) {}
  __device__ Bits key() const { return key_; }
  __device__ NoValue value() const { return {}; }

 private:
  Bits key_;
};

/// Reads items from input functions.
template <class Bits, class Value, class BitsInput, class ValueInput>
struct InputItems {
  BitsInput bits_input;
  ValueInput value_input;
  KeyEncoding<Bits> encoding;

  __device__ SortItem<Bits, Value> operator()(u64 i) const {
    return {encoding.encode(bits_input(i)), value_input(i)};
  }
};

/// Reads items from an array.
template <class Item>
struct ArrayItems {
  const Item* items;
  __device__ Item operator()(u64 i) const { return items[i]; }
};

/// Stores items in an array.
template <class Item>
struct ItemArray {
  Item* items;
  __device__ void operator()(u64 place, const Item& item) const { items[place] = item; }
};

/// Stores items in the arrays of the caller, either of which may be null.
template <class Bits, class Value>
struct OutputArrays {
  Bits* keys;
  Value* values;
  KeyEncoding<Bits> encoding;

  __device__ void operator()(u64 place, const SortItem<Bits, Value>& item) const {
    if (keys != nullptr) keys[place] = encoding.decode(item.key());
    if constexpr (copse::detail::has_value<Value>) values[place] = item.value();
  }
};

struct DigitOf {
  u32 shift, width;

  template <class Item>
  __device__ u32 operator()(const Item& item) const {
    return digit_of(item.key(), shift, width);
  }
};

inline constexpr u32 max_passes = 16;

/// The memory that is zero between calls.
struct PassZeroes {
  u32 ticket;
  alignas(8) u64 totals[max_passes * bucket_limit];
};
static_assert(sizeof(PassZeroes) <= ZeroedMemory::bytes);

/// Returns the number of items of a part. A pass over more items than one launch can take is cut into parts of
/// whole tiles, one after the other.
template <class Item>
u64 items_of_part(u64 n) {
  constexpr u64 tile = distribute_tile<Item, TileSize::large>;
  return n <= max_items_at_once ? n : max_items_at_once / tile * tile;
}

/// The scratch of the passes.
struct PassMemory {
  u64* words;  // of the look-back table
  u64 word_count;
  u64* bases;  // if there are several parts: [2][pass][bucket]
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

/// Counts the digits for all passes. `bits_input(i)` returns the bits of key i.
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

/// The places of the buckets in the output of a single pass, for the caller.
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
