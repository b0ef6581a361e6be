#pragma once

// Sorts by the least significant digit first, 8 bits per pass, with one read and one write per pass ("Onesweep",
// see distribute.cuh). One launch counts the digits of all passes. Then there is one launch per pass. bench:
// copse-bench-primitives, sort/.

#include "primitives/inputs.h"
#include "primitives/radix_sort.h"
#include "primitives/sort/radix_passes.cuh"

namespace copse::cuda {

namespace detail {

/// Returns the number of arrays between which the passes alternate.
inline u64 sort_array_count(u32 pass_count) {
  return pass_count <= 1 ? 0 : smaller(pass_count - 1, 2u);
}

/// True if the output can hold items between the passes: it holds keys alone, which are items.
template <class Bits, class Value>
bool output_holds_items(const Bits* keys_out) {
  using Item = SortItem<Bits, Value>;
  return !copse::detail::has_value<Value> && reinterpret_cast<u64>(keys_out) % alignof(Item) == 0;
}

template <class Source, class Sink>
struct CopyItems {
  Source source;
  Sink sink;
  __device__ void operator()(u64 i) const { sink(i, source(i)); }
};

/// Sorts in passes. `first_look` gives the same keys as `bits_input`, and is called for all keys before
/// `bits_input` is.
template <class Bits, class Value, class FirstLook, class BitsInput, class ValueInput>
void radix_sort(const Executor& ex, const char* label, u64 n, const FirstLook& first_look,
                const BitsInput& bits_input, const ValueInput& value_input, Bits* keys_out, Value* values_out,
                BitRange bits, const KeyEncoding<Bits>& encoding) {
  using Item = SortItem<Bits, Value>;
  using Output = OutputArrays<Bits, Value>;
  if (n == 0) return;
  const SortPasses passes{bits};
  const Output output{keys_out, values_out, encoding};
  if (passes.count() == 0) {
    using FirstItems = InputItems<Bits, Value, FirstLook, ValueInput>;
    for_each(ex, label, n, CopyItems<FirstItems, Output>{{first_look, value_input, encoding}, output});
    return;
  }
  const InputItems<Bits, Value, BitsInput, ValueInput> input{bits_input, value_input, encoding};
  ScratchArena::Frame frame(ex.scratch);
  ZeroedMemory::Scope zeroed(ex.zeroed);
  auto* zeroes = static_cast<PassZeroes*>(zeroed.data());
  const PassMemory memory = allocate_pass_memory<Item>(ex, frame, n, passes.count());
  const u32 last = passes.count() - 1;
  Item* items[2] = {};
  for (u64 k = 0; k < sort_array_count(passes.count()); ++k) {
    // The last pass does not read the array of its own parity.
    const bool is_free = k == last % 2 && output_holds_items<Bits, Value>(keys_out);
    items[k] = is_free ? reinterpret_cast<Item*>(keys_out) : frame.allocate<Item>(n);
  }

  prepare_passes<Bits>(ex, label, n, first_look, encoding, passes, zeroes, memory);
  const auto run = [&](u32 pass, const auto& source, const auto& sink) {
    run_pass<Item>(ex, label, n, source, DigitOf{passes.shift(pass), passes.width(pass)}, sink, pass,
                   passes.count(), zeroes, memory);
  };
  if (last == 0) {
    run(0, input, output);
  } else {
    run(0, input, ItemArray<Item>{items[0]});
    for (u32 pass = 1; pass < last; ++pass) {
      run(pass, ArrayItems<Item>{items[1 - pass % 2]}, ItemArray<Item>{items[pass % 2]});
    }
    run(last, ArrayItems<Item>{items[1 - last % 2]}, output);
  }
  zeroed.leaves_zero();
}

/// Reads keys and stores a copy of them, for a later pass.
template <class Bits, class BitsInput>
struct BitsAndCopy {
  BitsInput input;
  Bits* copy;

  __device__ auto ready() const {
    using Ready = decltype(ready_input(input));
    return BitsAndCopy<Bits, Ready>{ready_input(input), copy};
  }
  using Start = StartOfInput<BitsInput>;
  __device__ typename Start::Started start(u64 i) const { return Start::start(input, i); }
  __device__ Bits finish(u64 i, const typename Start::Started& started) const {
    return copy[i] = Start::finish(input, i, started);
  }
  __device__ Bits operator()(u64 i) const { return finish(i, start(i)); }
};

template <class Item>
u64 sort_scratch_bytes(const Executor& ex, u64 n, u32 pass_count) {
  if (n == 0 || pass_count == 0) return 0;
  return pass_scratch_bytes<Item>(ex, n, pass_count) +
         sort_array_count(pass_count) * ScratchArena::bytes_for<Item>(n);
}

}  // namespace detail

/// Contract: primitives/radix_sort.h.
template <class Key>
u64 radix_sort_keys_scratch_bytes(const Executor& ex, u64 n, BitRange bits) {
  using Item = detail::SortItem<typename KeyBits<Key>::type, NoValue>;
  return detail::sort_scratch_bytes<Item>(ex, n, detail::SortPasses{bits}.count());
}

/// Contract: primitives/radix_sort.h.
template <class Key, class Value>
u64 radix_sort_pairs_scratch_bytes(const Executor& ex, u64 n, BitRange bits) {
  using Item = detail::SortItem<typename KeyBits<Key>::type, Value>;
  return detail::sort_scratch_bytes<Item>(ex, n, detail::SortPasses{bits}.count());
}

/// Sorts keys that are given as bits and their encoding.
template <class Bits, class BitsInput>
void radix_sort_encoded(const Executor& ex, const char* label, u64 n, BitsInput bits_input, Bits* keys_out,
                        BitRange bits, const KeyEncoding<Bits>& encoding) {
  detail::radix_sort<Bits, NoValue>(ex, label, n, bits_input, bits_input, copse::detail::NoValueInput{}, keys_out,
                                    nullptr, bits, encoding);
}
template <class Bits, class Value, class BitsInput, class ValueInput>
void radix_sort_encoded(const Executor& ex, const char* label, u64 n, BitsInput bits_input, ValueInput value_input,
                        Bits* keys_out, Value* values_out, BitRange bits, const KeyEncoding<Bits>& encoding) {
  detail::radix_sort<Bits, Value>(ex, label, n, bits_input, bits_input, value_input, keys_out, values_out, bits,
                                  encoding);
}

/// Stores the indices of the keys in sorted order. `bits_input` reads each key once, so it may be slow.
template <class Bits, class BitsInput>
void radix_sort_read_once(const Executor& ex, const char* label, u64 n, BitsInput bits_input, u32* indices_out,
                          BitRange bits, const KeyEncoding<Bits>& encoding) {
  ScratchArena::Frame frame(ex.scratch);
  Bits* copy = frame.allocate<Bits>(n);
  detail::radix_sort<Bits, u32>(ex, label, n, detail::BitsAndCopy<Bits, BitsInput>{bits_input, copy},
                                Elements<Bits>{copy}, Index{}, static_cast<Bits*>(nullptr), indices_out, bits,
                                encoding);
}

/// Stores unsigned keys, copy[i] = bits_input(i), and the same keys in sorted order. `bits_input` reads each key
/// once, so it may be slow. Scratch: as in radix_sort_keys.
template <class Bits, class BitsInput>
void radix_sort_keys_read_once(const Executor& ex, const char* label, u64 n, BitsInput bits_input, Bits* copy,
                               Bits* keys_out, BitRange bits) {
  detail::radix_sort<Bits, NoValue>(ex, label, n, detail::BitsAndCopy<Bits, BitsInput>{bits_input, copy},
                                    Elements<Bits>{copy}, copse::detail::NoValueInput{}, keys_out, nullptr, bits,
                                    encoding_of<Bits>(SortOrder::ascending));
}

using copse::radix_sort_keys;
using copse::radix_sort_pairs;

}  // namespace copse::cuda
