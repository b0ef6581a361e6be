#pragma once

// Reduce-then-scan (Harris, "Data-Parallel Primitives", GTC 2010), here over pairs of sum and start (segments.h).

#include "primitives/cpu/for_each.h"
#include "primitives/scan/segments.h"

namespace copse::cpu {

namespace detail {

using copse::detail::SegmentOp;
using copse::detail::SegmentSum;

inline constexpr u64 segment_tile = 8192;

template <class T, class Starts, class Input, class Op>
SegmentSum<T> segment_sum_of_tile(u64 first, u64 last, const Starts& starts, const Input& input, const Op& op) {
  SegmentSum<T> sum = op.single(input(first), first == 0 || starts(first));
  for (u64 i = first + 1; i < last; ++i) sum = op.append(sum, input(i), starts(i));
  return sum;
}

template <bool inclusive, class T, class Starts, class Input, class Op>
void segmented_scan(const Executor& ex, const char* label, u64 n, const Starts& starts, const Input& input,
                    const Op& op, T* out) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 tile_count = divide_rounding_up(n, segment_tile);
  auto* through = frame.allocate<SegmentSum<T>>(tile_count);
  parallel_ranges(ex, label, tile_count, 1, [&](u64 begin, u64 end) {
    for (u64 tile = begin; tile < end; ++tile) {
      const u64 first = tile * segment_tile;
      through[tile] = segment_sum_of_tile<T>(first, smaller(first + segment_tile, n), starts, input, op);
    }
  });
  for (u64 tile = 1; tile < tile_count; ++tile) through[tile] = op(through[tile - 1], through[tile]);

  parallel_ranges(ex, label, tile_count, 1, [&](u64 begin, u64 end) {
    for (u64 tile = begin; tile < end; ++tile) {
      SegmentSum<T> sum = tile > 0 ? through[tile - 1] : SegmentSum<T>{};
      for (u64 i = tile * segment_tile; i < smaller((tile + 1) * segment_tile, n); ++i) {
        const bool is_start = i == 0 || starts(i);
        const T before = is_start ? op.init : sum.value;
        sum = op.append(sum, input(i), is_start);
        out[i] = inclusive ? sum.value : before;
      }
    }
  });
}

}  // namespace detail

template <class T>
u64 segmented_scan_scratch_bytes(const Executor&, u64 n) {
  return ScratchArena::bytes_for<copse::detail::SegmentSum<T>>(divide_rounding_up(n, detail::segment_tile));
}

/// Contract: primitives/segmented_scan.h.
template <class T, class Starts, class Input, class Op>
void segmented_inclusive_scan(const Executor& ex, const char* label, u64 n, Starts starts, Input input, Op op,
                              T* out) {
  detail::segmented_scan<true>(ex, label, n, starts, input, detail::SegmentOp<false, T, Op>{T{}, op}, out);
}

/// Contract: primitives/segmented_scan.h.
template <class T, class Starts, class Input, class Op>
void segmented_exclusive_scan(const Executor& ex, const char* label, u64 n, Starts starts, Input input, T init,
                              Op op, T* out) {
  detail::segmented_scan<false>(ex, label, n, starts, input, detail::SegmentOp<true, T, Op>{init, op}, out);
}

/// Contract: primitives/segmented_scan.h.
template <class Offset>
void start_bits(const Executor& ex, const char* label, u64 n, const Offset* offsets, u64 segment_count,
                u32* words) {
  fill_bytes(ex, label, words, divide_rounding_up(n, 32), 0);
  for_each(ex, label, segment_count, copse::detail::SetStartBits<Offset>{offsets, n, words});
}

}  // namespace copse::cpu
