#pragma once

// The points of a kd-tree as three lists of ranks, one list sorted along each axis.
//
// A point is identified by its rank along x. Its rank along the axis of a node decides on which side of the node
// it lies. All ranks along an axis differ, so later steps have no ties.

#include "builders/geometry/triangle.h"
#include "builders/points/kd_tree/kd_shape.h"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/radix_sort.cuh"
#include "primitives/inputs.h"

namespace copse::cuda::detail {

using copse::detail::KdArrays;
using copse::detail::KdRange;
using copse::detail::KdShape;

/// The sort key of points that are not in the tree. It is above that of every finite number.
inline constexpr u32 no_kd_key = ~0u;

/// Returns an unsigned number with the order of floats. The float is finite and not -0.
__device__ inline u32 kd_key(float value) {
  const u32 bits = bits_of(value);
  return bits ^ (bits >> 31 != 0 ? ~0u : 0x80000000u);
}

/// The ranks of all points along the axes, and the points by rank.
struct KdRanks {
  KdPoint* points;  // [rank along x]
  u32* y_order;     // [rank along y]: rank along x
  u32* z_order;     // [rank along z]: rank along x; follows y_order
  u32* y_rank;      // [rank along x]
  u32* z_rank;      // [rank along x]
};

/// A point in a list that is sorted along one axis: its ranks along the next axis, and along the one after it. Axis
/// x follows z.
struct alignas(8) KdItem {
  u32 next, next_but_one;
};

/// The list along an axis, before it was split for the first time.
struct FirstKdItems {
  KdRanks ranks;
  u32 axis;
  __device__ KdItem operator()(u32 i) const {
    if (axis == 0) return {ranks.y_rank[i], ranks.z_rank[i]};
    if (axis == 1) return {ranks.z_rank[ranks.y_order[i]], ranks.y_order[i]};
    return {ranks.z_order[i], ranks.y_rank[ranks.z_order[i]]};
  }
};

/// Returns the rank along x of an item in the list along `axis`.
__device__ inline u32 kd_x_rank(const KdRanks& ranks, u32 axis, const KdItem& item) {
  return axis == 0 ? ranks.y_order[item.next] : (axis == 1 ? item.next_but_one : item.next);
}

/// Returns the rank along `axis` of a point that is identified by its rank along x.
__device__ inline u32 kd_rank_along(const KdRanks& ranks, u32 axis, u32 x_rank) {
  return axis == 0 ? x_rank : (axis == 1 ? ranks.y_rank[x_rank] : ranks.z_rank[x_rank]);
}

struct KdKeyOfX {
  PositionSpan points;
  __device__ u32 operator()(u64 i) const {
    const vec3 p = clean_point(points.at(i));
    return is_finite(p) ? kd_key(p.x) : no_kd_key;
  }
};

/// Copies a point to its rank along x, and makes its other keys. The invalid points come last.
struct CopyKdPoint {
  PositionSpan points;
  const u32* x_keys;
  const u32* ids;
  KdPoint* sorted;
  u32 *y_keys, *z_keys;
  KdCounts* counts;
  __device__ void operator()(u64 i) const {
    const u32 id = ids[i];
    const vec3 p = clean_point(points.at(id));
    const bool is_valid = x_keys[i] != no_kd_key;
    sorted[i] = {p, id};
    y_keys[i] = is_valid ? kd_key(p.y) : no_kd_key;
    z_keys[i] = is_valid ? kd_key(p.z) : no_kd_key;
    const u64 n = points.size;
    if (is_valid && (i + 1 == n || x_keys[i + 1] == no_kd_key)) *counts = {i + 1, n - i - 1};
    if (!is_valid && i == 0) *counts = {0, n};
  }
};

/// Turns an order into ranks.
struct StoreKdRanks {
  const u32* order;
  u32* ranks;
  __device__ void operator()(u64 i) const { ranks[order[i]] = u32(i); }
};

/// Stores the root, which is the middle of the list along x.
struct StoreKdRoot {
  const KdPoint* points;
  KdArrays tree;
  u32* pivots;
  __device__ void operator()(u64) const {
    const KdShape shape(tree.counts->point_count);
    if (shape.count() == 0) return;
    pivots[0] = shape.root_rank(0, 0);
    tree.nodes[0] = points[pivots[0]];
  }
};

/// Three words per point, which later stages use again.
struct KdSpareWords {
  u32* words[3];
};

/// The keys along y, and behind them the keys along z, with a bit above that keeps the two apart.
struct KdKeyOfYThenZ {
  const u32 *y_keys, *z_keys;
  u64 n;
  __device__ u64 operator()(u64 i) const { return i < n ? u64{y_keys[i]} : u64{1} << 32 | z_keys[i - n]; }
};
struct KdIndexTwice {
  u64 n;
  __device__ u32 operator()(u64 i) const { return u32(i < n ? i : i - n); }
};

inline constexpr BitRange bits_of_y_then_z{0, 33};

/// Returns whether one sort handles both y and z. For few points, the launches of a second sort take longer than
/// the fifth pass of a joint one.
inline bool sorts_y_and_z_at_once(u64 n) {
  return n <= u64{1} << 18;
}

inline u64 kd_sort_scratch_bytes(const Executor& ex, u64 n) {
  const u64 one = radix_sort_pairs_scratch_bytes<u32, u32>(ex, n, all_bits<u32>);
  return sorts_y_and_z_at_once(n)
             ? larger(one, u64(radix_sort_pairs_scratch_bytes<u64, u32>(ex, 2 * n, bits_of_y_then_z)))
             : one;
}

/// Sorts the points along each axis, and stores their ranks, their counts and the root.
inline void rank_kd_points(const Executor& ex, const PositionSpan& points, const KdArrays& tree,
                           const KdRanks& ranks, const KdSpareWords& spare, u32* pivots) {
  const u64 n = points.size;
  u32 *const x_keys = spare.words[0], *const y_keys = spare.words[1], *const z_keys = spare.words[2];
  u32 *const ids = ranks.y_rank, *const no_keys = nullptr;  // the ranks are stored when the ids are not needed
  const BitRange bits = all_bits<u32>;
  radix_sort_pairs(ex, "kd-tree: sort along x", n, KdKeyOfX{points}, Index{}, x_keys, ids, bits);
  for_each(ex, "kd-tree: points", n, CopyKdPoint{points, x_keys, ids, ranks.points, y_keys, z_keys, tree.counts});
  if (sorts_y_and_z_at_once(n)) {
    u64* const no_wide_keys = nullptr;
    radix_sort_pairs(ex, "kd-tree: sort along y and z", 2 * n, KdKeyOfYThenZ{y_keys, z_keys, n}, KdIndexTwice{n},
                     no_wide_keys, ranks.y_order, bits_of_y_then_z);
  } else {
    radix_sort_pairs(ex, "kd-tree: sort along y", n, Elements<u32>{y_keys}, Index{}, no_keys, ranks.y_order, bits);
    radix_sort_pairs(ex, "kd-tree: sort along z", n, Elements<u32>{z_keys}, Index{}, no_keys, ranks.z_order, bits);
  }

  // Two launches, since both arrays of ranks together would not fit the second-level cache of the GPU, into which
  // these stores scatter.
  for_each(ex, "kd-tree: ranks along y", n, StoreKdRanks{ranks.y_order, ranks.y_rank});
  for_each(ex, "kd-tree: ranks along z", n, StoreKdRanks{ranks.z_order, ranks.z_rank});
  for_each(ex, "kd-tree: root", 1, StoreKdRoot{ranks.points, tree, pivots});
}

}  // namespace copse::cuda::detail
