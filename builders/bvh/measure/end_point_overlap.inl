// For each triangle, a walk climbs from its leaf to the root. The subtree of a sibling on the path does not hold
// the triangle; there the walk goes down through the boxes that the triangle reaches into. So no step has to test
// whether a node is an ancestor.

#include "builders/bvh/end_point_overlap.h"
#include "builders/bvh/measure/measured.h"
#include "builders/bvh/measure/triangle_part.h"
#include "builders/geometry/make_triangle_table.h"
#include "primitives/persistent.h"
#include "primitives/reduce.h"
#include "primitives/tree_walk.h"

namespace copse::detail {

namespace {

/// The triangles that a warp takes at a time.
constexpr u64 triangles_at_once = 32;

/// The binary tree for walk_down.
struct NodesDownwards : SiblingPairs {
  const BvhNode* nodes;
  COPSE_HD u32 child_count(u32 node) const { return nodes[node].is_leaf() ? 0 : 2; }
  COPSE_HD u32 first_child(u32 node) const { return nodes[node].first; }
};

/// Adds, on a walk down, the cost of a node times the area of the triangle's part in its box. If there is no part
/// in the box, there is none below it.
struct AddForeignNode {
  const BvhNode* nodes;
  Triangle triangle;
  Aabb box;  // of the triangle
  SahCosts costs;
  double* sum;

  COPSE_HD bool operator()(u32 node_id) const {
    const BvhNode node = nodes[node_id];
    if (is_empty(intersection(box, node.box()))) return false;
    const double area = area_in_box(triangle, node.box());
    *sum += area * (node.is_leaf() ? costs.intersection * node.count : costs.traversal);
    return area > 0;
  }
};

/// Writes the leaf of each place of primitive_ids.
struct NoteLeaf {
  BvhView bvh;
  u32* leaves;
  COPSE_HD void operator()(u64 i) const {
    if (i >= bvh.counts.data()->node_count) return;
    const BvhNode node = bvh.nodes.data()[i];
    for (u32 k = 0; k < node.count; ++k) leaves[node.first + k] = u32(i);
  }
};

struct MeasureTriangle {
  BvhView bvh;
  TriangleTable triangles;
  SahCosts costs;
  const u32* leaves;
  double* overlaps;

  COPSE_HD void operator()(u64 place) const {
    if (place < bvh.counts.data()->primitive_count) overlaps[place] = overlap(leaves[place], place);
  }

  COPSE_HD double overlap(u32 leaf, u64 place) const {
    const Triangle triangle = triangles.triangle(bvh.primitive_ids.data()[place]);
    const Aabb box = bounds(triangle);
    double sum = 0;
    if (is_empty(box) || !(area(whole(triangle)) > 0)) return sum;
    const NodesDownwards tree{{bvh.parents.data()}, bvh.nodes.data()};
    const AddForeignNode add{bvh.nodes.data(), triangle, box, costs, &sum};
    for (u32 node = leaf; node != 0; node = bvh.parents.data()[sibling_pair(node)]) {
      walk_down(tree, sibling(node), add);
    }
    return sum;
  }
};

struct LoadOverlap {
  BvhView bvh;
  TriangleTable triangles;
  const double* overlaps;

  COPSE_HD OverlapSums operator()(u64 place) const {
    if (place >= bvh.counts.data()->primitive_count) return {0, 0};
    const Triangle triangle = triangles.triangle(bvh.primitive_ids.data()[place]);
    return {overlaps[place], is_empty(bounds(triangle)) ? 0 : area(whole(triangle))};
  }
};

struct MergeOverlapSums {
  COPSE_HD OverlapSums operator()(const OverlapSums& a, const OverlapSums& b) const {
    return {a.overlap + b.overlap, a.area + b.area};
  }
};

}  // namespace

template <class Executor>
void measure_overlap(const Executor& ex, const BvhView& bvh, std::span<const TriangleView> views,
                     const SahCosts& costs, OverlapSums* sums) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 n = bvh.primitive_ids.size();
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  u32* leaves = frame.template allocate<u32>(n);
  double* overlaps = frame.template allocate<double>(n);
  for_each(ex, "end-point overlap: leaves", bvh.nodes.size(), NoteLeaf{bvh, leaves});
  persistent_for_each(ex, "end-point overlap: triangles", n, triangles_at_once,
                      MeasureTriangle{bvh, triangles, costs, leaves, overlaps});
  reduce(ex, "end-point overlap: sums", n, LoadOverlap{bvh, triangles, overlaps}, OverlapSums{0, 0},
         MergeOverlapSums{}, sums);
}

template void measure_overlap(const BodyExecutor&, const BvhView&, std::span<const TriangleView>, const SahCosts&,
                              OverlapSums*);

}  // namespace copse::detail
