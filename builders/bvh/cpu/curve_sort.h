#pragma once

// Primitives with equal fronts, put in order by whole keys on the CPU. Contract: builders/bvh/morton_order.h.

#include <tbb/parallel_sort.h>

#include <algorithm>

#include "builders/bvh/curve_keys.h"
#include "primitives/cpu/primitives.h"

namespace copse::cpu {

namespace detail {

/// Where slot `begin` is the first of a run of equal fronts, stores the order of the run. A word of the run is
///
///   63 .. 32 | 31 .. 0
///   low word | number
struct OrderRun {
  static constexpr u64 long_run = u64{1} << 14;  // sorted by all threads

  copse::detail::KeyWords keys;
  copse::detail::SortedFronts sorted;
  copse::detail::CurveOrder order;

  void operator()(u64 begin) const {
    if (!sorted.is_key(begin)) return take_invalid(begin);
    const u64 front = sorted.front(begin);
    if (begin > 0 && sorted.front(begin - 1) == front) return;
    u64 end = begin + 1;
    while (end < sorted.n && sorted.front(end) == front) ++end;

    u64* const run = keys.front;
    for (u64 slot = begin; slot < end; ++slot) {
      const u32 id = sorted.id(slot);
      run[slot] = u64{keys.low[id]} << 32 | id;
    }
    if (end - begin >= long_run) {
      tbb::parallel_sort(run + begin, run + end);
    } else if (end - begin > 1) {
      std::sort(run + begin, run + end);
    }
    for (u64 slot = begin; slot < end; ++slot) {
      order.primitive_ids[slot] = u32(run[slot]);
      if (slot + 1 < end) order.gaps[slot] = u8(common_prefix(run[slot] >> 32, run[slot + 1] >> 32, u32(slot)));
    }
    if (end == sorted.n || !sorted.is_key(end)) {
      *order.valid_count = u32(end);
    } else {
      order.gaps[end - 1] = u8(common_prefix(front, sorted.front(end), u32(end) - 1));
    }
  }

  void take_invalid(u64 slot) const {
    order.primitive_ids[slot] = sorted.id(slot);
    if (slot == 0) *order.valid_count = 0;
  }
};

}  // namespace detail

inline void order_equal_fronts(const Executor& ex, const copse::detail::KeyWords& keys,
                               const copse::detail::SortedFronts& sorted, const copse::detail::CurveOrder& order) {
  for_each(ex, "Morton order: equal fronts", sorted.n, detail::OrderRun{keys, sorted, order});
}

inline u64 order_equal_fronts_scratch_bytes(const Executor&, u64) {
  return 0;
}

}  // namespace copse::cpu
