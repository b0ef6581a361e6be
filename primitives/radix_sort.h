#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/input_span.h"
#include "primitives/radix_key.h"

namespace copse {

/// Sorts keys, or keys with one value each, by the chosen bits of the key. Stable: keys that agree in those bits
/// keep their order, also in a descending sort. Equal on all backends.
///   keys_in, values_in:   any size, may be empty; values as many as keys
///   keys_out, values_out: as many; must not overlap the input
///   bits: a range within the width of the key; 0 bits copy. For signed keys and floats these are the bits after
///         the encoding that gives unsigned numbers in the order of the keys
/// For Key of u32, u64, i32, i64, float, double, Key96, Key128. Floats come in the order of their bits: -NaN,
/// -infinity, .., -0, +0, .., infinity, NaN.
/// Throws: Error invalid_argument if sizes differ, if bits are out of range or if output overlaps input;
/// Error out_of_memory.
/// Memory: scratch of at most about twice the size of the input, see radix_sort_keys_scratch_bytes.
/// With your own input functions and values: primitives/cpu/radix_sort.h, primitives/cuda/radix_sort.cuh.
template <class Key>
void radix_sort_keys(Context& context, InputSpan<Key> keys_in, BufferSpan<Key> keys_out,
                     BitRange bits = all_bits<Key>, SortOrder order = SortOrder::ascending);
template <class Key>
void radix_sort_pairs(Context& context, InputSpan<Key> keys_in, BufferSpan<const u32> values_in,
                      BufferSpan<Key> keys_out, BufferSpan<u32> values_out, BitRange bits = all_bits<Key>,
                      SortOrder order = SortOrder::ascending);

/// Stores the indices of the keys in sorted order: the gather index of the sort (Patidar, Narayanan, "Scalable
/// Split and Gather Primitives for the GPU", 2009). Otherwise as radix_sort_pairs.
///   indices_out: as many as keys; there may be at most 2^32
template <class Key>
void radix_sort_indices(Context& context, BufferSpan<const Key> keys, BufferSpan<u32> indices_out,
                        BitRange bits = all_bits<Key>, SortOrder order = SortOrder::ascending);
template <class Key>
requires(!std::is_const_v<Key>) void radix_sort_indices(Context& context, BufferSpan<Key> keys,
                                                        BufferSpan<u32> indices_out, BitRange bits = all_bits<Key>,
                                                        SortOrder order = SortOrder::ascending) {
  radix_sort_indices(context, BufferSpan<const Key>(keys), indices_out, bits, order);
}

// The templates behind them, on either executor:
//
//   radix_sort_keys(ex, label, n, key_input, keys_out, bits, order)
//   radix_sort_pairs(ex, label, n, key_input, value_input, keys_out, values_out, bits, order)
//     `key_input`: Key operator()(u64) const; `value_input`: Value operator()(u64) const; host+device. They are
//     called several times for each i and must not read the outputs.
//     Key: as above, or u8, u16. Value: trivially copyable, of at most 16 bytes. `keys_out` of pairs may be null.
//
//   radix_sort_keys_scratch_bytes<Key>(ex, n, bits)
//   radix_sort_pairs_scratch_bytes<Key, Value>(ex, n, bits)
//     The scratch that they take.

template <class Key, class Executor, class KeyInput>
void radix_sort_keys(const Executor& ex, const char* label, u64 n, KeyInput key_input, Key* keys_out,
                     BitRange bits, SortOrder order = SortOrder::ascending) {
  using Bits = typename KeyBits<Key>::type;
  radix_sort_encoded<Bits>(ex, label, n, bits_of<Key>(key_input), reinterpret_cast<Bits*>(keys_out), bits,
                           encoding_of<Key>(order));
}

template <class Key, class Value, class Executor, class KeyInput, class ValueInput>
void radix_sort_pairs(const Executor& ex, const char* label, u64 n, KeyInput key_input, ValueInput value_input,
                      Key* keys_out, Value* values_out, BitRange bits, SortOrder order = SortOrder::ascending) {
  using Bits = typename KeyBits<Key>::type;
  radix_sort_encoded<Bits, Value>(ex, label, n, bits_of<Key>(key_input), value_input,
                                  reinterpret_cast<Bits*>(keys_out), values_out, bits, encoding_of<Key>(order));
}

}  // namespace copse
