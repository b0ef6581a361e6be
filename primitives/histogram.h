#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"
#include "primitives/input_span.h"

namespace copse {

/// Bins of equal width over integers: value v falls into bin (v - first) / width.
template <class T>
struct IntegerBins {
  /// The lowest value of bin 0.
  T first = 0;

  /// Values per bin, at least 1.
  u32 width = 1;
};

/// Bins of equal width over the numbers from `lower` to below `upper`. Both are finite, `lower` is below `upper`.
struct EvenBins {
  float lower = 0;
  float upper = 1;
};

/// Counts the values of `in` that fall into each bin: counts[b] for bin b. Values below the first bin or past the
/// last one, and NaN, are not counted. Equal on all backends.
///   in:     any size, may be empty
///   counts: a number for each bin, 1 to 65536 bins; must not overlap `in`. Its old contents are lost
/// For T of u8, u16, u32, and float. A float v below `upper` falls into bin floor((v - lower) * (bin_count /
/// (upper - lower))), each operation rounded to float, or into the last bin if that is past it.
/// Throws: Error invalid_argument if the number of bins or the bins are out of range, or if the counts overlap the
/// input; Error out_of_memory.
/// Memory: on the CPU, scratch of 8 bytes for each bin and worker, four times as much up to 4096 bins; on CUDA
/// none.
/// With your own input and bin functions: primitives/cpu/histogram.h, primitives/cuda/histogram.cuh.
template <class T>
void histogram(Context& context, InputSpan<T> in, IntegerBins<T> bins, BufferSpan<u64> counts);
COPSE_API void histogram(Context& context, BufferSpan<const float> in, EvenBins bins, BufferSpan<u64> counts);

// The template behind them, on either executor:
//
//   histogram(ex, label, n, input, bin, bin_count, counts)
//     counts[b] = the number of i with bin(input(i)) == b, a u64. A bin of bin_count or more is not counted.
//     `input`: T operator()(u64) const, T of at most 64 bytes; `bin`: u32 operator()(T) const. Both are
//     host+device, may be called more than once for an i, and must not read `counts`. bin_count may be any number
//     from 1 on: it is fastest up to 256, fast if 4-byte counters fit the shared memory of a block, and above that
//     uses atomics in device memory.
//
//   histogram_scratch_bytes(ex, n, bin_count)
//     The scratch that it takes.

}  // namespace copse
