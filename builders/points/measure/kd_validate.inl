// Proof that the content of a kd-tree is right.
//
// If each node is a valid point, no point is two nodes, and there are as many nodes as valid points, then no point
// is missing. The sides are checked from each node up to the root.

#include "builders/points/kd_layout.h"
#include "builders/points/measure/point_faults.h"
#include "builders/points/measure/source_points.h"
#include "primitives/count.h"
#include "primitives/inputs.h"

namespace copse::detail {

struct CompareKdCounts {
  KdTreeView tree;
  u64 source_count;
  const u64* valid_count;
  KdFaults* faults;
  COPSE_HD void operator()(u64) const {
    const KdCounts counts = tree.counts.data()[0];
    const bool fit = counts.point_count == *valid_count && counts.point_count <= tree.nodes.size() &&
                     counts.invalid_count == source_count - *valid_count;
    if (!fit) fetch_add_relaxed(&faults->bad_counts, u64{1});
  }
};

template <class Executor>
void check_kd_counts(const Executor& ex, const KdTreeView& tree, const PositionSpan& points, KdFaults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  u64* valid_count = frame.template allocate<u64>(1);
  count_if(ex, "kd-tree validate: valid points", points.size, IsValidSource{points}, valid_count);
  for_each(ex, "kd-tree validate: counts", 1, CompareKdCounts{tree, points.size, valid_count, faults});
}

struct CheckKdNode {
  const KdPoint* nodes;
  SourceCheck source;
  KdFaults* faults;

  COPSE_HD void operator()(u64 i) const {
    const KdPoint point = nodes[i];
    source.check(u32(i), point);
    for (u32 node = u32(i); node > 0; node = (node - 1) / 2) {
      const u32 parent = (node - 1) / 2, axis = kd_axis(kd_level(parent));
      const bool is_left = node % 2 != 0;
      if (comes_before(point, nodes[parent], axis) == is_left) continue;
      fetch_add_relaxed(&faults->wrong_sides, u64{1});
      return;
    }
  }

 private:
  COPSE_HD static bool comes_before(const KdPoint& a, const KdPoint& b, u32 axis) {
    const float u = coordinate(a.position, axis), v = coordinate(b.position, axis);
    if (u != v) return u < v;
    return a.position.x != b.position.x ? a.position.x < b.position.x : a.id < b.id;
  }
};

template <class Executor>
void check_kd_nodes(const Executor& ex, const KdTreeView& tree, u64 node_count, const PositionSpan& points,
                    KdFaults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  u32* node_of_point = frame.template allocate<u32>(points.size);
  fill_bytes(ex, "kd-tree validate: no nodes", node_of_point, points.size, 0xff);
  const SourceCheck source{points, node_of_point, &faults->bad_points, &faults->repeated_points};
  for_each(ex, "kd-tree validate: nodes", node_count, CheckKdNode{tree.nodes.data(), source, faults});
}

template void check_kd_counts(const BodyExecutor&, const KdTreeView&, const PositionSpan&, KdFaults*);
template void check_kd_nodes(const BodyExecutor&, const KdTreeView&, u64, const PositionSpan&, KdFaults*);

}  // namespace copse::detail
