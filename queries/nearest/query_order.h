#pragma once

// Points in no order send neighbouring threads to all ends of a structure, so many points are asked in an order in
// which neighbours find the same memory. For bodies: the executor's primitives must be included.

#include "primitives/core/executor.h"
#include "primitives/inputs.h"
#include "primitives/radix_key.h"

namespace copse::detail {

/// Points that a warp takes at a time, so that no worker is left with the far ones.
inline constexpr u64 points_at_once = 32;

/// Fewer points than this are asked in their own order.
inline constexpr u64 min_to_order = u64{1} << 14;

/// Which point is asked i-th.
struct QueryOrder {
  const u32* order;  // null: their own
  COPSE_HD u64 operator()(u64 i) const { return order == nullptr ? i : order[i]; }
};

/// The order of n points by their places, of so many bits; good until `frame` ends.
///   place: u32 operator()(u64 i) const, host+device
template <class Executor, class Place>
QueryOrder order_by_place(const Executor& ex, ScratchArena::Frame& frame, u64 n, const Place& place, u32 bits) {
  if (n < min_to_order || n > u64{1} << 32) return {nullptr};
  u32* order = frame.template allocate<u32>(n);
  u32* const no_keys = nullptr;
  radix_sort_pairs(ex, "queries: order of points", n, place, Index{}, no_keys, order, BitRange{0, bits},
                   SortOrder::ascending);
  return {order};
}

}  // namespace copse::detail
