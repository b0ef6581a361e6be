#pragma once

#include "primitives/cpu/compact.h"

namespace copse::cpu {

template <class T>
u64 partition_scratch_bytes(const Executor& ex, u64 n) {
  return compact_scratch_bytes<T>(ex, n);
}

/// Contract: primitives/partition.h.
template <class Predicate, class Emit>
void partition_each(const Executor& ex, const char* label, u64 n, Predicate predicate, Emit emit, u64* count) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 tile_count = divide_rounding_up(n, detail::select_tile);
  u64* before = frame.allocate<u64>(tile_count);
  const u64 selected = detail::count_selected(ex, label, n, predicate, before);
  *count = selected;
  parallel_ranges(ex, label, tile_count, 1, [&](u64 begin, u64 end) {
    u64 i = begin * detail::select_tile;
    u64 place = before[begin], other_place = selected + i - place;
    for (; i < smaller(end * detail::select_tile, n); ++i) emit(predicate(i) ? place++ : other_place++, i);
  });
}

/// Contract: primitives/partition.h.
template <class T, class Predicate, class Input>
void partition(const Executor& ex, const char* label, u64 n, Predicate predicate, Input input, T* out,
               u64* count) {
  partition_each(ex, label, n, copse::detail::SelectByIndex<T, Predicate, Input>{predicate, input},
                 copse::detail::StoreValue<T, Input>{input, out}, count);
}

}  // namespace copse::cpu
