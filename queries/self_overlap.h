#pragma once

// The pairs of primitives of one tree that touch each other, for the host and for kernels. In bulk:
// queries/self_overlaps.h.
//
// Each primitive looks only at what follows it in the tree: at the rest of its leaf, and from there up, at the
// second children of which it is below the first. So each pair is met once.
//
// Source: Karras, "Thinking Parallel, Part II: Tree Traversal on the GPU", NVIDIA blog, 2012, who starts at the
// root instead and leaves out what precedes by the last leaf of each subtree.

#include <span>

#include "builders/geometry/triangle_table.h"
#include "queries/overlaps/overlap_traversal.h"
#include "queries/overlaps/triangle_triangle.h"

namespace copse {

/// Two primitives, ids through all views, the smaller one first.
struct PrimitivePair {
  u32 first;
  u32 second;
};

/// Which triangles of a mesh count as touching each other.
struct SelfOverlapOptions {
  /// The triangles themselves; false: their boxes, a tenth of the work where few touch.
  bool exact_triangles = true;

  /// Triangles that have a corner at the same place, which neighbours in a mesh always do.
  bool with_adjacent = false;
};

/// Triangles as shapes that may touch.
struct OverlappingTriangles {
  TriangleTable triangles;
  SelfOverlapOptions options;

  COPSE_HD Triangle load(u32 primitive) const { return triangles.triangle(primitive); }
  COPSE_HD static Aabb box(const Triangle& triangle) { return bounds(triangle); }
  COPSE_HD bool touch(const Triangle& a, const Triangle& b) const {
    return (options.with_adjacent || !share_a_corner(a, b)) && (!options.exact_triangles || touches(a, b));
  }
};

/// The boxes of primitives of your own as shapes that may touch.
struct OverlappingBoxes {
  const Aabb* boxes;

  COPSE_HD Aabb load(u32 primitive) const { return boxes[primitive]; }
  COPSE_HD static Aabb box(const Aabb& box) { return is_valid(box) ? box : Aabb::empty(); }
  COPSE_HD static bool touch(const Aabb&, const Aabb&) { return true; }
};

namespace detail {

/// What self_overlaps.h is given: triangles, or boxes where `boxes` is not null.
struct OverlappingPrimitives {
  std::span<const TriangleView> views;
  SelfOverlapOptions options;
  const Aabb* boxes;
};

struct OverlapsAabb {
  Aabb box;
  COPSE_HD bool operator()(const vec3& lo, const vec3& hi) const {
    return box.lo.x <= hi.x && box.hi.x >= lo.x && box.lo.y <= hi.y && box.hi.y >= lo.y && box.lo.z <= hi.z &&
           box.hi.z >= lo.z;
  }
};

/// Test of a walk: passes on the pairs of one primitive with others that touch it.
template <class Shapes, class Shape, class Visit>
struct VisitPairs {
  const Shapes& shapes;
  const Shape& shape;
  OverlapsAabb is_near;
  u32 primitive;
  Visit& visit;

  COPSE_HD bool operator()(u32 other) {
    const Shape other_shape = shapes.load(other);
    const Aabb box = shapes.box(other_shape);
    if (is_empty(box) || !is_near(box.lo, box.hi) || !shapes.touch(shape, other_shape)) return false;
    return visit(PrimitivePair{smaller(primitive, other), larger(primitive, other)});
  }
};

}  // namespace detail

/// Calls `visit(pair)` for the pairs of the primitive at `place` of the tree's primitive_ids, which stands in the
/// leaf `leaf`, with those that follow it in the tree and touch it, in the order of the tree.
///   shapes: OverlappingTriangles, OverlappingBoxes or your own
///   visit:  bool operator()(const PrimitivePair&); ends by returning true
template <u32 stack_size = detail::walk_stack_size, class Shapes, class Visit>
COPSE_HD inline void for_each_pair_after(const BvhView& tree, u32 leaf, u32 place, const Shapes& shapes,
                                         Visit& visit) {
  const u32* ids = tree.primitive_ids.data();
  const auto shape = shapes.load(ids[place]);
  const Aabb box = shapes.box(shape);
  if (is_empty(box)) return;
  using Shape = decltype(shapes.load(0));
  detail::VisitPairs<Shapes, Shape, Visit> test{shapes, shape, {box}, ids[place], visit};
  const BvhNode node = tree.nodes.data()[leaf];
  for (u32 other = place + 1; other < node.first + node.count; ++other) {
    if (test(ids[other])) return;
  }
  walk_overlaps_after<stack_size>(tree, leaf, detail::OverlapsAabb{box}, test);
}

// Deprecated names, until 0.2.

using TouchingTriangles [[deprecated("use OverlappingTriangles")]] = OverlappingTriangles;
using TouchingBoxes [[deprecated("use OverlappingBoxes")]] = OverlappingBoxes;

}  // namespace copse
