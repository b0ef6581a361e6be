#pragma once

#include "primitives/core/context.h"
#include "primitives/core/span.h"

namespace copse {

/// Bins of equal width over integers: value v falls into bin (v - first) / width.
template <class T>
struct IntegerBins {
  /// The lowest value of bin 0.
  T first = 0;

  /// Values a bin, at least 1.
  u32 width = 1;
};

/// Bins that cut the numbers from `lower` to below `upper` evenly. Both finite, `lower` below `upper`.
struct EvenBins {
  float lower = 0;
  float upper = 1;
};

/// Counts how many values of `in` fall into each bin: counts[b] for bin b. Values below the first bin, past
/// the last one, and NaN are counted nowhere. Equal on all backends.
///   in:     any size, may be empty
///   counts: a number for each bin, 1 to 65536 bins; must not overlap `in`. What stood there is lost
/// For T of u8, u16, u32, and float.
/// A float v falls into bin floor((v - lower) * (bin_count / (upper - lower))), each operation rounded to
/// float, and one below `upper` into the last bin at most.
/// Throws: Error invalid_argument for a number of bins or bins out of range, or counts that overlap the input;
/// Error out_of_memory.
/// Memory: on the CPU, scratch of 8 bytes for each bin and worker, four times as many for 4096 bins and below;
/// on CUDA none.
/// With your own input and bin functions: primitives/cpu/histogram.h, primitives/cuda/histogram.cuh.
template <class T>
void histogram(Context& context, BufferSpan<const T> in, IntegerBins<T> bins, BufferSpan<u64> counts);
void histogram(Context& context, BufferSpan<const float> in, EvenBins bins, BufferSpan<u64> counts);

// The templates behind them, the same on both backends:
//
//   histogram(ex, label, n, input, bin, bin_count, counts)
//     counts[b] = how many i have bin(input(i)) == b, u64 counts. A bin of bin_count or more is counted
//     nowhere. `input`: T operator()(u64) const, T of at most 64 bytes; `bin`: u32 operator()(T) const; both
//     host+device, both may be called more than once for an i, and must not read `counts`. bin_count may be
//     any number from 1 on; it is fastest up to 256, fast where 4-byte counters fit the shared memory of a
//     block, and goes by atomics in device memory beyond.
//
//   histogram_scratch_bytes(ex, n, bin_count)
//     The scratch it takes.

}  // namespace copse
