// For each triangle, a walk climbs from its leaf to the root. The subtree of a sibling on the path does not hold
// the triangle; there the walk goes down through the boxes that the triangle reaches into. So no step has to test
// whether a node is an ancestor.
//
// Where triangles are split, a triangle has several leaves. Its last place adds up all of them. The subtrees beside
// the paths from its leaves to the root are those to walk down, each of them once.

#include "builders/bvh/end_point_overlap.h"
#include "builders/bvh/measure/measured.h"
#include "builders/bvh/measure/triangle_part.h"
#include "builders/geometry/make_triangle_table.h"
#include "primitives/inputs.h"
#include "primitives/loops/zeroed_words.h"
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

/// Writes 1 for places that a later place of the same triangle follows.
struct NoteFollowed {
  BvhView bvh;
  u32* is_followed;
  COPSE_HD void operator()(u64 place) const {
    if (place >= bvh.counts.data()->primitive_count) return;
    const u32 previous = bvh.repeats[place].previous;
    if (previous != invalid_id) is_followed[previous] = 1;
  }
};

/// The last place of a triangle, where it is measured.
struct MeasuredPlaces {
  BvhView bvh;
  const u32* is_followed;  // null if no triangle is split

  COPSE_HD bool operator()(u64 place) const {
    return place < bvh.counts.data()->primitive_count && (is_followed == nullptr || is_followed[place] == 0);
  }
  COPSE_HD u32 before(u32 place) const {
    return is_followed == nullptr ? invalid_id : bvh.repeats[place].previous;
  }
};

struct MeasureTriangle {
  BvhView bvh;
  TriangleTable triangles;
  SahCosts costs;
  const u32* leaves;
  MeasuredPlaces is_measured;
  double* overlaps;

  COPSE_HD void operator()(u64 place) const {
    if (is_measured(place)) overlaps[place] = overlap(u32(place));
  }

 private:
  COPSE_HD double overlap(u32 place) const {
    const Triangle triangle = triangles.triangle(bvh.primitive_ids.data()[place]);
    const Aabb box = bounds(triangle);
    double sum = 0;
    if (is_empty(box) || !(area(whole(triangle)) > 0)) return sum;
    const NodesDownwards tree{{bvh.parents.data()}, bvh.nodes.data()};
    const AddForeignNode add{bvh.nodes.data(), triangle, box, costs, &sum};
    for (u32 at = place; at != invalid_id; at = is_measured.before(at)) {
      for (u32 node = leaves[at]; node != 0; node = bvh.parents.data()[sibling_pair(node)]) {
        if (is_above(node, is_measured.before(at))) break;  // the earlier place goes on from here
        if (!is_above(sibling(node), place)) walk_down(tree, sibling(node), add);
      }
    }
    return sum;
  }

  /// Returns whether a node is a leaf, or above a leaf, of a place or of one before it of the same triangle.
  COPSE_HD bool is_above(u32 node, u32 place) const {
    if (is_measured.is_followed == nullptr) return false;  // one path, and the nodes beside it are on no other
    for (u32 at = place; at != invalid_id; at = is_measured.before(at)) {
      u32 below = leaves[at];
      while (below != node && below != 0) below = bvh.parents.data()[sibling_pair(below)];
      if (below == node) return true;
    }
    return false;
  }
};

struct LoadOverlap {
  BvhView bvh;
  TriangleTable triangles;
  MeasuredPlaces is_measured;
  const double* overlaps;

  COPSE_HD OverlapSums operator()(u64 place) const {
    if (!is_measured(place)) return {0, 0};
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
  u32* is_followed = nullptr;
  if (bvh.repeats != nullptr) {
    is_followed = frame.template allocate<u32>(n);
    fill_bytes(ex, "end-point overlap: clear", is_followed, n, 0);
    for_each(ex, "end-point overlap: followed", n, NoteFollowed{bvh, is_followed});
  }
  const MeasuredPlaces is_measured{bvh, is_followed};
  persistent_for_each(ex, "end-point overlap: triangles", n, triangles_at_once,
                      MeasureTriangle{bvh, triangles, costs, leaves, is_measured, overlaps});
  reduce(ex, "end-point overlap: sums", n, LoadOverlap{bvh, triangles, is_measured, overlaps}, OverlapSums{0, 0},
         MergeOverlapSums{}, sums);
}

template void measure_overlap(const BodyExecutor&, const BvhView&, std::span<const TriangleView>, const SahCosts&,
                              OverlapSums*);

}  // namespace copse::detail
