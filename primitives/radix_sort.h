#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Bits [begin, end) of a key, 0 the lowest.
struct BitRange {
  u32 begin = 0;
  u32 end = 0;
};

/// Sorts keys, or keys with a value each, ascending by the chosen bits of the key. Stable: keys that agree
/// in those bits keep their order. Equal on all backends.
///   keys_in, values_in:   any size up to 2^32 - 1, may be empty; values as many as keys
///   keys_out, values_out: as many; must not overlap the input
///   bits: within the key's width, of any length; 0 bits copy
/// For Key of u32, u64.
/// Throws: Error invalid_argument for sizes that differ, bits out of range or output that overlaps input;
/// Error out_of_memory.
/// Memory: scratch of about the input's bytes, see radix_sort_scratch_bytes.
/// With your own input functions: primitives/cpu/radix_sort.h, primitives/cuda/radix_sort.cuh.
template <class Key>
void radix_sort_keys(Context& context, BufferSpan<const Key> keys_in, BufferSpan<Key> keys_out, BitRange bits);
template <class Key>
void radix_sort_pairs(Context& context, BufferSpan<const Key> keys_in, BufferSpan<const u32> values_in,
                      BufferSpan<Key> keys_out, BufferSpan<u32> values_out, BitRange bits);

// The templates behind them, the same on both backends:
//
//   radix_sort_keys(ex, label, n, key_input, keys_out, bits)
//   radix_sort_pairs(ex, label, n, key_input, value_input, keys_out, values_out, bits)
//     `key_input`: Key operator()(u64) const; `value_input`: u32 operator()(u64) const; host+device. They
//     are called several times for each i and must not read the output.
//
//   radix_sort_scratch_bytes<Key>(ex, n, with_values, bits)
//     The scratch that either takes.

}  // namespace copse
