#pragma once

// Reduce-then-scan (Harris, "Data-Parallel Primitives", GTC 2010): the sums of tiles in parallel, their scan
// in order, the scan of each tile in parallel.

#include "primitives/cpu/workers.h"

namespace copse::cpu {

namespace detail {

inline constexpr u64 scan_tile = 8192;

/// carry[k] = the sum of the tiles before tile k, started from carry[0].
template <class T, class Input, class Op>
void scan_tile_sums(const Executor& ex, const char* label, u64 n, Input& input, Op& op, T* carry) {
  const u64 tile_count = divide_rounding_up(n, scan_tile);
  parallel_ranges(ex, label, tile_count - 1, 4, [&](u64 begin, u64 end) {
    for (u64 tile = begin; tile < end; ++tile) {
      const u64 first = tile * scan_tile;
      T sum = input(first);
      for (u64 i = first + 1; i < first + scan_tile; ++i) sum = op(sum, input(i));
      carry[tile + 1] = sum;
    }
  });
}

}  // namespace detail

template <class T>
u64 scan_scratch_bytes(const Executor&, u64 n) {
  return ScratchArena::bytes_for<T>(divide_rounding_up(n, detail::scan_tile));
}

/// Contract: primitives/scan.h.
template <class T, class Input, class Op>
void exclusive_scan(const Executor& ex, const char* label, u64 n, Input input, T init, Op op, T* out,
                    T* total = nullptr) {
  if (n == 0) {
    if (total) *total = init;
    return;
  }
  ScratchArena::Frame frame(ex.scratch);
  const u64 tile_count = divide_rounding_up(n, detail::scan_tile);
  T* carry = frame.allocate<T>(tile_count);
  detail::scan_tile_sums(ex, label, n, input, op, carry);
  carry[0] = init;
  for (u64 tile = 1; tile < tile_count; ++tile) carry[tile] = op(carry[tile - 1], carry[tile]);

  parallel_ranges(ex, label, tile_count, 4, [&](u64 begin, u64 end) {
    for (u64 tile = begin; tile < end; ++tile) {
      T sum = carry[tile];
      for (u64 i = tile * detail::scan_tile; i < smaller((tile + 1) * detail::scan_tile, n); ++i) {
        const T next = op(sum, input(i));
        out[i] = sum;
        sum = next;
      }
      if (total && tile + 1 == tile_count) *total = sum;
    }
  });
}

/// Contract: primitives/scan.h.
template <class T, class Input, class Op>
void inclusive_scan(const Executor& ex, const char* label, u64 n, Input input, Op op, T* out) {
  if (n == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  const u64 tile_count = divide_rounding_up(n, detail::scan_tile);
  T* carry = frame.allocate<T>(tile_count);
  detail::scan_tile_sums(ex, label, n, input, op, carry);
  for (u64 tile = 2; tile < tile_count; ++tile) carry[tile] = op(carry[tile - 1], carry[tile]);

  parallel_ranges(ex, label, tile_count, 4, [&](u64 begin, u64 end) {
    for (u64 tile = begin; tile < end; ++tile) {
      const u64 first = tile * detail::scan_tile;
      T sum = input(first);
      if (tile > 0) sum = op(carry[tile], sum);
      out[first] = sum;
      for (u64 i = first + 1; i < smaller(first + detail::scan_tile, n); ++i) {
        sum = op(sum, input(i));
        out[i] = sum;
      }
    }
  });
}

}  // namespace copse::cpu
