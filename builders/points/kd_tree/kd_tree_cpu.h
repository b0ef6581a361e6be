#pragma once

// The kd-tree on the CPU: each range of points is divided at its root by selection (Hoare's "Find", as
// std::nth_element), the ranges of a level in parallel, and small subtrees by one worker each.

#include <algorithm>

#include "builders/geometry/triangle.h"
#include "builders/points/kd_tree/kd_shape.h"
#include "primitives/cpu/compact.h"

namespace copse::cpu {

namespace detail {

using copse::detail::KdArrays;
using copse::detail::KdRange;
using copse::detail::KdShape;

struct IsFinitePoint {
  PositionSpan points;
  bool operator()(u64 i) const { return is_finite(points.at(i)); }
};

struct TakeKdPoint {
  PositionSpan points;
  KdPoint operator()(u64 i) const { return {clean_point(points.at(i)), u32(i)}; }
};

/// The order along an axis: by its coordinate, then by x, then by id.
struct ComesBefore {
  u32 axis;
  bool operator()(const KdPoint& a, const KdPoint& b) const {
    const float u = a.position[int(axis)], v = b.position[int(axis)];
    if (u != v) return u < v;
    if (a.position.x != b.position.x) return a.position.x < b.position.x;
    return a.id < b.id;
  }
};

class KdRanges {
 public:
  KdRanges(KdPoint* points, const KdShape& shape, KdPoint* nodes)
      : points_(points), shape_(shape), nodes_(nodes) {}

  /// Puts the root of a subtree at its place, all points before it on its left, and stores it.
  void divide(u32 level, u32 subtree) const {
    if (!shape_.has_node(level, subtree)) return;
    const KdRange range = shape_.range(level, subtree);
    const u32 root = shape_.root_rank(level, subtree);
    std::nth_element(points_ + range.begin, points_ + root, points_ + range.end, ComesBefore{kd_axis(level)});
    nodes_[(1u << level) - 1 + subtree] = points_[root];
  }

  /// Divides a subtree and all below it.
  void divide_all(u32 level, u32 subtree) const {
    if (!shape_.has_node(level, subtree)) return;
    divide(level, subtree);
    divide_all(level + 1, 2 * subtree);
    divide_all(level + 1, 2 * subtree + 1);
  }

 private:
  KdPoint* points_;
  KdShape shape_;
  KdPoint* nodes_;
};

}  // namespace detail

/// Contract: builders/points/kd_tree/kd_tree.inl. There is at least one point.
inline void store_kd_nodes(const Executor& ex, const PositionSpan& points, const detail::KdArrays& tree) {
  constexpr u64 subtrees_per_worker = 8;
  ScratchArena::Frame frame(ex.scratch);
  KdPoint* valid = frame.allocate<KdPoint>(points.size);
  u64 count = 0;
  compact(ex, "kd-tree: points", points.size, detail::IsFinitePoint{points}, detail::TakeKdPoint{points}, valid,
          &count);
  *tree.counts = {count, points.size - count};

  // Divide level by level until there are enough subtrees for all workers.
  const detail::KdShape shape(count);
  const detail::KdRanges ranges(valid, shape, tree.nodes);
  u32 level = 0;
  for (; level < shape.level_count() && 1u << level < subtrees_per_worker * ex.workers.count(); ++level) {
    parallel_ranges(ex, "kd-tree: level", u64{1} << level, 1, [&](u64 begin, u64 end) {
      for (u64 subtree = begin; subtree < end; ++subtree) ranges.divide(level, u32(subtree));
    });
  }
  parallel_ranges(ex, "kd-tree: subtrees", u64{1} << level, 1, [&](u64 begin, u64 end) {
    for (u64 subtree = begin; subtree < end; ++subtree) ranges.divide_all(level, u32(subtree));
  });
}

inline u64 kd_stage_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<KdPoint>(n) + compact_scratch_bytes<KdPoint>(ex, n);
}

}  // namespace copse::cpu
