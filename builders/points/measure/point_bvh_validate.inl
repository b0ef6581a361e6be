// Proof that the content of a hierarchy over points is right.
//
// If each of its points is valid, none occurs twice, and their number is that of the valid points, then no point
// is missing. The points below a node follow from its number, so each node is compared with its children, and each
// leaf with its points.

#include "builders/geometry/point_box.h"
#include "builders/points/measure/point_faults.h"
#include "builders/points/measure/source_points.h"
#include "builders/points/point_bvh_layout.h"
#include "primitives/reduce.h"

namespace copse::detail {

struct ComparePointBvhCounts {
  PointBvhView bvh;
  u64 source_count;
  const PointBox* valid;
  PointBvhFaults* faults;
  COPSE_HD void operator()(u64) const {
    const PointBvhCounts counts = bvh.counts.data()[0];
    const bool fit = counts.point_count == valid->count && counts.point_count <= bvh.points.size() &&
                     counts.invalid_count == source_count - valid->count &&
                     (valid->count == 0 || counts.bounds == valid->box);
    if (!fit) fetch_add_relaxed(&faults->bad_counts, u64{1});
  }
};

template <class Executor>
void check_point_counts(const Executor& ex, const PointBvhView& bvh, const PositionSpan& points,
                        PointBvhFaults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  auto* valid = frame.template allocate<PointBox>(1);
  reduce(ex, "point BVH validate: bounds", points.size, BoxOfPoint{points}, PointBox::empty(), MergePointBoxes{},
         valid);
  for_each(ex, "point BVH validate: counts", 1, ComparePointBvhCounts{bvh, points.size, valid, faults});
}

struct CheckPoint {
  PointBvhView bvh;
  SourceCheck source;
  PointBvhFaults* faults;
  COPSE_HD void operator()(u64 i) const {
    const NumberedPoint point = bvh.points.data()[i];
    source.check(u32(i), point);
    if (i == 0) return;
    const HilbertGrid grid = HilbertGrid::of(bvh.counts.data()[0].bounds);
    const NumberedPoint before = bvh.points.data()[i - 1];
    const u64 key = grid.key(point.position), key_before = grid.key(before.position);
    if (key_before > key || (key_before == key && before.id >= point.id)) {
      fetch_add_relaxed(&faults->wrong_order, u64{1});
    }
  }
};

/// Compares a node at a depth with its children or its points.
struct CheckPointNode {
  PointBvhView bvh;
  u32 depth;
  PointBvhFaults* faults;
  COPSE_HD void operator()(u64 i) const {
    const PointBvhCounts counts = bvh.counts.data()[0];
    const PointBvhShape shape(counts.point_count);
    const u32 id = PointBvhShape::first_at(depth) + u32(i);
    const PointNode node = bvh.nodes.data()[id];
    Aabb box = Aabb::empty();
    u64 key = 0;
    if (depth == shape.depth()) {
      const u64 first = i * point_leaf_size, end = smaller(first + point_leaf_size, counts.point_count);
      for (u64 k = first; k < end; ++k) {
        const vec3 p = bvh.points.data()[k].position;
        box = merge(box, {p, p});
      }
      key = HilbertGrid::of(counts.bounds).key(bvh.points.data()[first].position);
    } else {
      const PointNode* const children = bvh.nodes.data() + 8 * u64{id} + 1;
      const u32 count = shape.child_count(id);
      for (u32 k = 0; k < count; ++k) box = merge(box, {children[k].lo, children[k].hi});
      key = children[0].first_key();
    }
    if (!(box == Aabb{node.lo, node.hi}) || node.first_key() != key)
      fetch_add_relaxed(&faults->wrong_nodes, u64{1});
  }
};

template <class Executor>
void check_point_nodes(const Executor& ex, const PointBvhView& bvh, u64 point_count, const PositionSpan& points,
                       PointBvhFaults* faults) {
  if (point_count == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  u32* place_of_point = frame.template allocate<u32>(points.size);
  fill_bytes(ex, "point BVH validate: no places", place_of_point, points.size, 0xff);
  const SourceCheck source{points, place_of_point, &faults->bad_points, &faults->repeated_points};
  for_each(ex, "point BVH validate: points", point_count, CheckPoint{bvh, source, faults});
  const PointBvhShape shape(point_count);
  for (u32 depth = 0; depth <= shape.depth(); ++depth) {
    for_each(ex, "point BVH validate: nodes", shape.count_at(depth), CheckPointNode{bvh, depth, faults});
  }
}

template void check_point_counts(const BodyExecutor&, const PointBvhView&, const PositionSpan&, PointBvhFaults*);
template void check_point_nodes(const BodyExecutor&, const PointBvhView&, u64, const PositionSpan&,
                                PointBvhFaults*);

}  // namespace copse::detail
