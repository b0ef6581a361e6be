// Builds a hierarchy over points: sort the points along the Hilbert curve, copy them in that order, and bound leaves
// and then nodes, depth by depth.

#include "builders/geometry/point_box.h"
#include "builders/points/point_bvh.h"
#include "primitives/inputs.h"
#include "primitives/radix_key.h"
#include "primitives/radix_sort.h"
#include "primitives/reduce.h"

namespace copse::detail {

struct StorePointCounts {
  const PointBox* points;
  u64 n;
  PointBvhCounts* counts;
  HilbertGrid* grid;
  COPSE_HD void operator()(u64) const {
    const Aabb bounds = points->count > 0 ? points->box : Aabb{vec3(0), vec3(0)};
    *counts = {points->count, n - points->count, bounds};
    *grid = HilbertGrid::of(bounds);
  }
};

struct CurveKeyOfPoint {
  PositionSpan points;
  const HilbertGrid* grid;
  COPSE_HD u64 operator()(u64 i) const {
    const vec3 p = clean_point(points.at(i));
    return is_finite(p) ? grid->key(p) : invalid_morton_key;
  }
};

/// Copies the points of a leaf in their order, and stores their box.
struct MakePointLeaf {
  PositionSpan points;
  const u32* ids;
  const HilbertGrid* grid;
  PointBvhArrays bvh;

  COPSE_HD void operator()(u64 leaf) const {
    const u64 point_count = bvh.counts->point_count, first = leaf * point_leaf_size;
    if (first >= point_count) return;
    NumberedPoint copies[point_leaf_size];
    const u64 last = point_count - 1;  // a leaf with fewer points takes the last one again
    for (u32 k = 0; k < point_leaf_size; ++k) copies[k].id = ids[smaller(first + k, last)];
    for (u32 k = 0; k < point_leaf_size; ++k) copies[k].position = clean_point(points.at(copies[k].id));
    Aabb box = Aabb::empty();
    for (u32 k = 0; k < point_leaf_size; ++k) {
      box = merge(box, {copies[k].position, copies[k].position});
      if (first + k <= last) bvh.points[first + k] = copies[k];
    }
    const u64 key = grid->key(copies[0].position);
    bvh.nodes[PointBvhShape(point_count).first_leaf() + leaf] = {box.lo, u32(key), box.hi, u32(key >> 32)};
  }
};

/// Bounds the children of a node that is `height` levels above the leaves.
struct MakePointNode {
  u32 height;
  PointBvhArrays bvh;

  COPSE_HD void operator()(u64 i) const {
    const PointBvhShape shape(bvh.counts->point_count);
    if (height > shape.depth()) return;
    const u32 depth = shape.depth() - height;
    if (i >= shape.count_at(depth)) return;
    const u32 node = PointBvhShape::first_at(depth) + u32(i);
    const PointNode* children = bvh.nodes + 8 * u64{node} + 1;
    PointNode made = children[0];
    const u32 child_count = shape.child_count(node);
    for (u32 k = 1; k < child_count; ++k) {
      made.lo = lower_corner(made.lo, children[k].lo);
      made.hi = upper_corner(made.hi, children[k].hi);
    }
    bvh.nodes[node] = made;
  }
};

template <class Executor>
void build_point_nodes(const Executor& ex, const PositionSpan& points, const PointBvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 n = points.size;

  // Find the box of the points, and from it the cells of their keys.
  auto* box = frame.allocate<PointBox>(1);
  auto* grid = frame.allocate<HilbertGrid>(1);
  reduce(ex, "point BVH: bounds", n, BoxOfPoint{points}, PointBox::empty(), MergePointBoxes{}, box);
  for_each(ex, "point BVH: counts", 1, StorePointCounts{box, n, bvh.counts, grid});

  // Sort the points along the Hilbert curve. The sort is stable, so points in one cell are in the order of their ids.
  u32* ids = frame.allocate<u32>(n);
  radix_sort_read_once(ex, "point BVH: sort", n, CurveKeyOfPoint{points, grid}, ids, all_bits<u64>,
                       encoding_of<u64>(SortOrder::ascending));

  // Make the leaves, and then the nodes above them.
  const PointBvhShape shape(n);
  for_each(ex, "point BVH: leaves", shape.leaf_count(), MakePointLeaf{points, ids, grid, bvh});
  for (u32 height = 1; height <= shape.depth(); ++height) {
    for_each(ex, "point BVH: nodes", shape.count_at(shape.depth() - height), MakePointNode{height, bvh});
  }
}

template <class Executor>
u64 point_bvh_scratch_bytes(const Executor& ex, u64 n) {
  const u64 sort = ScratchArena::bytes_for<u32>(n) + ScratchArena::bytes_for<u64>(n) +
                   radix_sort_pairs_scratch_bytes<u64, u32>(ex, n, all_bits<u64>) +
                   ScratchArena::bytes_for<u64>(n);
  return ScratchArena::bytes_for<PointBox>(1) + ScratchArena::bytes_for<HilbertGrid>(1) +
         larger(u64(reduce_scratch_bytes<PointBox>(ex, n)), sort);
}

template void build_point_nodes(const BodyExecutor&, const PositionSpan&, const PointBvhArrays&);
template u64 point_bvh_scratch_bytes(const BodyExecutor&, u64);

}  // namespace copse::detail
