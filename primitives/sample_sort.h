#pragma once

#include "primitives/merge_sort.h"

namespace copse {

/// Sorts keys, or keys with a value each, ascending by Less. Stable: equal keys keep their order. Equal on all
/// backends, and equal to merge_sort. Expected O(n log n) comparisons for any keys, however many are equal; keys
/// made against the choice of samples still get sorted, at the price of a merge sort.
///   keys_in, values_in:   any size, may be empty; values as many as keys
///   keys_out, values_out: as many; may be the input itself, must not overlap it otherwise
/// For Key of u32, u64, i32, float, double.
/// Throws: Error invalid_argument for sizes that differ or output that overlaps input; Error out_of_memory.
/// Memory: scratch of the input's bytes and about two bytes for each key, see sample_sort_scratch_bytes.
/// With your own types and order: primitives/cpu/sample_sort.h, primitives/cuda/sample_sort.cuh.
template <class Key>
void sample_sort_keys(Context& context, BufferSpan<const Key> keys_in, BufferSpan<Key> keys_out);
template <class Key>
void sample_sort_pairs(Context& context, BufferSpan<const Key> keys_in, BufferSpan<const u32> values_in,
                       BufferSpan<Key> keys_out, BufferSpan<u32> values_out);

// The templates behind them, the same on both backends:
//
//   sample_sort_keys(ex, label, n, key_input, less, keys_out)
//   sample_sort_pairs(ex, label, n, key_input, value_input, less, keys_out, values_out)
//     As those of merge sort, primitives/merge_sort.h, but that `key_input` is called several times for each i.
//     It may read what it may read there.
//
//   sample_sort_scratch_bytes<Key>(ex, n), sample_sort_scratch_bytes<Key, Value>(ex, n)
//     The scratch that either takes.

}  // namespace copse
