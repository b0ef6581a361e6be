#pragma once

#include "primitives/merge_sort.h"

namespace copse {

/// Sorts keys, or keys with one value each, ascending by Less. Stable: equal keys keep their order. Equal on all
/// backends, and equal to merge_sort. Takes an expected O(n log n) comparisons for any keys, however many are
/// equal. Keys that are chosen against the choice of samples are sorted, too, in the time of a merge sort.
///   keys_in, values_in:   any size, may be empty; values as many as keys
///   keys_out, values_out: as many; may be the input itself, must not overlap it otherwise
/// For Key of u32, u64, i32, float, double.
/// Throws: Error invalid_argument if sizes differ or output overlaps input; Error out_of_memory.
/// Memory: scratch of the size of the input and about two bytes per key, see sample_sort_scratch_bytes.
/// With your own types and order: primitives/cpu/sample_sort.h, primitives/cuda/sample_sort.cuh.
template <class Key>
void sample_sort_keys(Context& context, InputSpan<Key> keys_in, BufferSpan<Key> keys_out);
template <class Key>
void sample_sort_pairs(Context& context, InputSpan<Key> keys_in, BufferSpan<const u32> values_in,
                       BufferSpan<Key> keys_out, BufferSpan<u32> values_out);

// The templates behind them, on either executor:
//
//   sample_sort_keys(ex, label, n, key_input, less, keys_out)
//   sample_sort_pairs(ex, label, n, key_input, value_input, less, keys_out, values_out)
//     As in merge sort (primitives/merge_sort.h), except that `key_input` is called several times for each i. It
//     may read the same elements as there.
//
//   sample_sort_scratch_bytes<Key>(ex, n), sample_sort_scratch_bytes<Key, Value>(ex, n)
//     The scratch that either of them takes.

}  // namespace copse
