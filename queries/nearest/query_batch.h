#pragma once

// Shared by batches of queries: their triangles, the number of queries per warp, the order in which queries are
// processed, and the offsets of their result lists. For bodies: the executor's primitives must be included. The parts
// that do not depend on the layout of a tree are compiled once, in query_batch.inl.

#include <span>

#include "builders/geometry/aabb.h"
#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/packed_triangle.h"
#include "primitives/core/executor.h"
#include "primitives/inputs.h"
#include "primitives/radix_key.h"

namespace copse::detail {

/// The triangles of a batch in the form that its queries take: of views, or packed in the order of the tree's leaves.
/// Valid until `frame` ends.
template <class Executor>
TriangleTable query_source(const Executor& ex, ScratchArena::Frame& frame, std::span<const TriangleView> views) {
  return make_triangle_table(ex, frame, views);
}
template <class Executor>
BufferSpan<const PackedTriangle> query_source(const Executor&, ScratchArena::Frame&,
                                              const BufferSpan<const PackedTriangle>& packed) {
  return packed;
}
template <class Triangles>
using QuerySource = std::conditional_t<std::is_same_v<Triangles, std::span<const TriangleView>>, TriangleTable,
                                       BufferSpan<const PackedTriangle>>;

/// Queries that a warp takes at a time. The number is small, so that no worker gets all the slow ones.
inline constexpr u64 queries_at_once = 32;

/// True for a batch that is large enough to be ordered, and small enough for indices of 32 bits. Other batches are
/// processed in the caller's order.
inline bool may_order(u64 n) {
  return n >= u64{1} << 14 && n <= u64{1} << 32;
}

/// The order of processing: the query that is processed i-th.
struct QueryOrder {
  const u32* order;  // null: the caller's order
  COPSE_HD u64 operator()(u64 i) const { return order == nullptr ? i : order[i]; }
};

/// Sorts n points by their places in a structure, so that neighbouring threads read the same memory. In the caller's
/// order they may read all parts of it. The order is valid until `frame` ends.
///   place: u32 operator()(u64 i) const, host+device
///   bits:  number of bits of a place
template <class Executor, class Place>
QueryOrder order_by_place(const Executor& ex, ScratchArena::Frame& frame, u64 n, const Place& place, u32 bits) {
  if (!may_order(n)) return {nullptr};
  u32* order = frame.template allocate<u32>(n);
  u32* const no_keys = nullptr;
  radix_sort_pairs(ex, "queries: order of points", n, place, Index{}, no_keys, order, BitRange{0, bits},
                   SortOrder::ascending);
  return {order};
}

/// As order_by_place, along a Morton curve through `box`, which is in the memory of the executor.
template <class Executor>
QueryOrder order_within_box(const Executor& ex, ScratchArena::Frame& frame, const Aabb* box,
                            BufferSpan<const vec3> points);

/// Stores where lists begin, one after the other: offsets[i] = the sum of the counts before i, for each i of 0 to n.
template <class Executor>
void place_lists(const Executor& ex, const char* label, const u32* counts, u64 n, u64* offsets);

}  // namespace copse::detail
