#pragma once

#include <type_traits>

#include "primitives/core/context.h"
#include "primitives/core/macros.h"
#include "primitives/core/span.h"
#include "primitives/input_span.h"
#include "primitives/inputs.h"

namespace copse {

/// Ascending by <. Floating-point: -0 equals 0; NaN comes after all numbers and equals NaN.
struct Less {
  template <class T>
  COPSE_HD bool operator()(const T& a, const T& b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a < b || (b != b && a == a);
    } else {
      return a < b;
    }
  }
};

/// Sorts keys, or keys with one value each, ascending by Less. Stable: equal keys keep their order. Equal on all
/// backends. Takes O(n log n) comparisons for any keys. sample_sort is faster for many keys, radix_sort for
/// integers.
///   keys_in, values_in:   any size, may be empty; values as many as keys
///   keys_out, values_out: as many; may be the input itself, must not overlap it otherwise
/// For Key of u32, u64, i32, float, double.
/// Throws: Error invalid_argument if sizes differ or output overlaps input; Error out_of_memory.
/// Memory: scratch of the size of the input and 1 % more, see merge_sort_scratch_bytes.
/// With your own types and order: primitives/cpu/merge_sort.h, primitives/cuda/merge_sort.cuh.
template <class Key>
void merge_sort_keys(Context& context, InputSpan<Key> keys_in, BufferSpan<Key> keys_out);
template <class Key>
void merge_sort_pairs(Context& context, InputSpan<Key> keys_in, BufferSpan<const u32> values_in,
                      BufferSpan<Key> keys_out, BufferSpan<u32> values_out);

// The templates behind them, on either executor:
//
//   merge_sort_keys(ex, label, n, key_input, less, keys_out)
//   merge_sort_pairs(ex, label, n, key_input, value_input, less, keys_out, values_out)
//     Key and Value: trivially copyable, of at most 256 bytes. `less`: bool operator()(const Key&, const Key&)
//     const, a strict weak order; it is called only with keys of the input. `key_input`: Key operator()(u64)
//     const; `value_input`: Value operator()(u64) const; all host+device. An input is called once for each i,
//     before element i of the outputs is written. So it may read that element, but no other element of the
//     outputs. On CUDA, keys and values of more than 32 bytes together are sorted by index and moved once; there
//     may be at most 2^32 of them, else Error invalid_argument.
//
//   merge_sort_scratch_bytes<Key>(ex, n), merge_sort_scratch_bytes<Key, Value>(ex, n)
//     The scratch that either takes.

}  // namespace copse
