#pragma once

#include "primitives/cpu/workers.h"

namespace copse::cpu {

namespace detail {
inline constexpr u64 reduce_tile = 4096;
}

template <class T>
u64 reduce_scratch_bytes(const Executor&, u64 n) {
  return ScratchArena::bytes_for<T>(divide_rounding_up(n, detail::reduce_tile));
}

/// Contract: primitives/reduce.h.
template <class T, class Input, class Op>
void reduce(const Executor& ex, const char* label, u64 n, Input input, T identity, Op op, T* out) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 tile_count = divide_rounding_up(n, detail::reduce_tile);
  T* partial = frame.allocate<T>(tile_count);
  parallel_ranges(ex, label, tile_count, 4, [&](u64 begin, u64 end) {
    for (u64 tile = begin; tile < end; ++tile) {
      const u64 first = tile * detail::reduce_tile;
      const u64 last = smaller(first + detail::reduce_tile, n);
      T sum = identity;
      for (u64 i = first; i < last; ++i) sum = op(sum, input(i));
      partial[tile] = sum;
    }
  });
  T sum = identity;
  for (u64 tile = 0; tile < tile_count; ++tile) sum = op(sum, partial[tile]);
  *out = sum;
}

}  // namespace copse::cpu
