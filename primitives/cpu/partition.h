#pragma once

#include "primitives/cpu/compact.h"

namespace copse::cpu {

template <class T>
u64 partition_scratch_bytes(const Executor& ex, u64 n) {
  return compact_scratch_bytes<T>(ex, n);
}

/// Contract: primitives/partition.h.
template <class Keep, class Emit>
void partition_each(const Executor& ex, const char* label, u64 n, Keep keep, Emit emit, u64* count) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 tile_count = divide_rounding_up(n, detail::keep_tile);
  u64* before = frame.allocate<u64>(tile_count);
  const u64 kept = detail::count_kept(ex, label, n, keep, before);
  *count = kept;
  parallel_ranges(ex, label, tile_count, 1, [&](u64 begin, u64 end) {
    u64 i = begin * detail::keep_tile;
    u64 place = before[begin], other_place = kept + i - place;
    for (; i < smaller(end * detail::keep_tile, n); ++i) emit(keep(i) ? place++ : other_place++, i);
  });
}

/// Contract: primitives/partition.h.
template <class T, class Keep, class Input>
void partition(const Executor& ex, const char* label, u64 n, Keep keep, Input input, T* out, u64* count) {
  partition_each(ex, label, n, copse::detail::KeepByIndex<T, Keep, Input>{keep, input},
                 copse::detail::StoreInput<T, Input>{input, out}, count);
}

}  // namespace copse::cpu
