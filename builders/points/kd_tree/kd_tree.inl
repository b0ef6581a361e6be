// Builds a kd-tree. The order of the points along each axis is total, so there is one tree, and each backend finds
// it in its own way: the CPU divides ranges of points in place; the GPU sorts along each axis once and then splits
// the three sorted lists, level by level.

#include "builders/points/kd_tree.h"
#include "builders/points/kd_tree/kd_shape.h"
#include "primitives/compact.h"
#include "primitives/inputs.h"
#include "primitives/radix_sort.h"

namespace copse::detail {

struct StoreNoPoints {
  KdCounts* counts;
  COPSE_HD void operator()(u64) const { *counts = {0, 0}; }
};

template <class Executor>
void build_kd_nodes(const Executor& ex, const PositionSpan& points, const KdArrays& tree) {
  if (points.size == 0) {
    for_each(ex, "kd-tree: no points", 1, StoreNoPoints{tree.counts});
  } else {
    store_kd_nodes(ex, points, tree);
  }
}

template <class Executor>
u64 kd_scratch_bytes(const Executor& ex, u64 n) {
  return n == 0 ? 0 : kd_stage_scratch_bytes(ex, n);
}

template void build_kd_nodes(const BodyExecutor&, const PositionSpan&, const KdArrays&);
template u64 kd_scratch_bytes(const BodyExecutor&, u64);

}  // namespace copse::detail
