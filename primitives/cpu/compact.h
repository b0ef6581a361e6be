#pragma once

// Count, scan, write (Harris, "Data-Parallel Primitives", GTC 2010): count the selected elements of each tile in
// parallel, sum the counts in order, write the tiles in parallel.

#include "primitives/cpu/workers.h"
#include "primitives/select/selection.h"

namespace copse::cpu {

namespace detail {

inline constexpr u64 select_tile = 8192;

/// Sets before[t] to the number of selected elements before tile t. Returns their total number.
template <class Predicate>
u64 count_selected(const Executor& ex, const char* label, u64 n, const Predicate& predicate, u64* before) {
  const u64 tile_count = divide_rounding_up(n, select_tile);
  parallel_ranges(ex, label, tile_count, 1, [&](u64 begin, u64 end) {
    for (u64 tile = begin; tile < end; ++tile) {
      u64 count = 0;
      for (u64 i = tile * select_tile; i < smaller((tile + 1) * select_tile, n); ++i)
        count += predicate(i) ? 1 : 0;
      before[tile] = count;
    }
  });
  u64 sum = 0;
  for (u64 tile = 0; tile < tile_count; ++tile) {
    const u64 count = before[tile];
    before[tile] = sum;
    sum += count;
  }
  return sum;
}

}  // namespace detail

template <class T>
u64 compact_scratch_bytes(const Executor&, u64 n) {
  return ScratchArena::bytes_for<u64>(divide_rounding_up(n, detail::select_tile));
}

/// Contract: primitives/compact.h.
template <class Predicate, class Emit>
void compact_each(const Executor& ex, const char* label, u64 n, Predicate predicate, Emit emit, u64* count) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 tile_count = divide_rounding_up(n, detail::select_tile);
  u64* before = frame.allocate<u64>(tile_count);
  *count = detail::count_selected(ex, label, n, predicate, before);
  parallel_ranges(ex, label, tile_count, 1, [&](u64 begin, u64 end) {
    u64 place = before[begin];
    for (u64 i = begin * detail::select_tile; i < smaller(end * detail::select_tile, n); ++i) {
      if (predicate(i)) emit(place++, i);
    }
  });
}

/// Contract: primitives/compact.h.
template <class T, class Predicate, class Input>
void compact(const Executor& ex, const char* label, u64 n, Predicate predicate, Input input, T* out, u64* count) {
  compact_each(ex, label, n, copse::detail::SelectByIndex<T, Predicate, Input>{predicate, input},
               copse::detail::StoreValue<T, Input>{input, out}, count);
}

}  // namespace copse::cpu
