#pragma once

// The pairs of primitives of one tree that overlap each other, for the host and for kernels. For all primitives at
// once: queries/self_overlaps.h.
//
// Each primitive is tested only against those that follow it in the tree: the rest of its leaf, and then, on the way
// up to the root, every second child whose sibling contains the primitive. So each pair is found once. If primitives
// are in several leaves, the search starts at the first place of each, goes through the whole tree, and accepts
// primitives whose first place comes later.
//
// Source: Karras, "Thinking Parallel, Part II: Tree Traversal on the GPU", NVIDIA blog, 2012. His traversal starts
// at the root instead, and skips subtrees whose last leaf comes before the primitive.

#include <span>

#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/triangle_table.h"
#include "queries/overlaps/triangle_triangle.h"
#include "queries/wide_query_walk.h"

namespace copse {

/// Two primitives, the smaller id first. Ids count through all views.
struct PrimitivePair {
  u32 first;
  u32 second;
};

/// The pairs of triangles that count as overlapping.
struct SelfOverlapOptions {
  /// true, the default: the triangles themselves overlap. false: their boxes overlap, which is a tenth of the work if
  /// few do. It needs a tree without splits, which has the boxes of whole triangles.
  bool exact_triangles = true;

  /// Also reports pairs with a corner at the same place, such as neighbours in a mesh. Default: false.
  bool with_adjacent = false;
};

/// Triangles, for for_each_pair_after.
struct OverlappingTriangles {
  TriangleTable triangles;
  SelfOverlapOptions options;

  COPSE_HD Triangle load(u32 primitive) const { return triangles.triangle(primitive); }
  COPSE_HD static Aabb box(const Triangle& triangle) { return bounds(triangle); }
  COPSE_HD bool touch(const Triangle& a, const Triangle& b) const {
    return (options.with_adjacent || !share_a_corner(a, b)) && (!options.exact_triangles || touches(a, b));
  }
};

/// Packed triangles, for for_each_pair_after through the tree that they were packed for.
struct OverlappingPackedTriangles {
  static constexpr bool takes_places = true;

  BufferSpan<const PackedTriangle> triangles;
  SelfOverlapOptions options;

  COPSE_HD Triangle load(u32 place) const { return triangles.data()[place].triangle(); }
  COPSE_HD u32 id(u32 place) const { return triangles.data()[place].primitive; }
  COPSE_HD static Aabb box(const Triangle& triangle) { return bounds(triangle); }
  COPSE_HD bool touch(const Triangle& a, const Triangle& b) const {
    return OverlappingTriangles{{}, options}.touch(a, b);
  }
};

/// The boxes of your own primitives, for for_each_pair_after.
struct OverlappingBoxes {
  const Aabb* boxes;

  COPSE_HD Aabb load(u32 primitive) const { return boxes[primitive]; }
  COPSE_HD static Aabb box(const Aabb& box) { return is_valid(box) ? box : Aabb::empty(); }
  COPSE_HD static bool touch(const Aabb&, const Aabb&) { return true; }
};

namespace detail {

/// The argument of the functions of self_overlaps.h: triangles, or boxes if `boxes` is not null.
struct OverlappingPrimitives {
  std::span<const TriangleView> views;
  SelfOverlapOptions options;
  const Aabb* boxes;
};

/// True for shapes that are loaded by place instead of id.
template <class Shapes>
inline constexpr bool are_placed = requires {
  requires Shapes::takes_places;
};

/// The id of the primitive with this load number.
template <class Shapes>
COPSE_HD inline u32 id_of(const Shapes& shapes, u32 at) {
  if constexpr (are_placed<Shapes>) {
    return shapes.id(at);
  } else {
    return at;
  }
}

struct OverlapsAabb {
  Aabb box;
  COPSE_HD bool operator()(const vec3& lo, const vec3& hi) const {
    return box.lo.x <= hi.x && box.hi.x >= lo.x && box.lo.y <= hi.y && box.hi.y >= lo.y && box.lo.z <= hi.z &&
           box.hi.z >= lo.z;
  }
};

/// Test of a traversal: passes the pairs of one primitive with others that touch it to `visit`.
template <class Shapes, class Shape, class Visit>
struct VisitPairs {
  static constexpr bool takes_places = are_placed<Shapes>;

  const Shapes& shapes;
  const Shape& shape;
  OverlapsAabb is_near;
  u32 primitive;
  Visit& visit;

  COPSE_HD bool operator()(u32 other) {
    const Shape other_shape = shapes.load(other);
    const Aabb box = shapes.box(other_shape);
    if (is_empty(box) || !is_near(box.lo, box.hi) || !shapes.touch(shape, other_shape)) return false;
    const u32 other_id = id_of(shapes, other);
    return visit(PrimitivePair{smaller(primitive, other_id), larger(primitive, other_id)});
  }
};

/// Visits the pairs of the primitive at `place` with the rest of its leaf, up to the place `end`, and then with the
/// leaves after it, which walk_on(is_near, test) traverses. In a tree with repeats, visits the pairs of a primitive
/// at its first place alone, with all primitives whose first place comes later.
template <u32 stack_size, class Tree, class Shapes, class Visit, class WalkOn>
COPSE_HD inline void visit_pairs_after(const Tree& tree, u32 place, u32 end, const Shapes& shapes, Visit& visit,
                                       const WalkOn& walk_on) {
  if (tree.repeats != nullptr && tree.repeats[place].previous != invalid_id) return;
  using Shape = decltype(shapes.load(0));
  const u32* const ids = tree.primitive_ids.data();
  const u32 at = are_placed<Shapes> ? place : ids[place];
  const Shape shape = shapes.load(at);
  const Aabb box = shapes.box(shape);
  if (is_empty(box)) return;
  const OverlapsAabb is_near{box};
  VisitPairs<Shapes, Shape, Visit> test{shapes, shape, is_near, id_of(shapes, at), visit};
  if (tree.repeats != nullptr) return walk_overlaps<stack_size>(tree, is_near, test, place + 1);
  for (u32 other = place + 1; other < end; ++other) {
    if (test(are_placed<Shapes> ? other : ids[other])) return;
  }
  walk_on(is_near, test);
}

/// The traversal after a leaf of a binary tree, and after a leaf of a wide tree.
template <u32 stack_size>
struct WalkBehindLeaf {
  const BvhView& tree;
  u32 leaf;

  template <class Test>
  COPSE_HD void operator()(const OverlapsAabb& is_near, Test& test) const {
    walk_overlaps_after<stack_size>(tree, leaf, is_near, test);
  }
};
template <u32 stack_size, class Node>
struct WalkBehindSlot {
  const WideBvhView<Node>& tree;
  u32 node, slot;

  template <class Test>
  COPSE_HD void operator()(const OverlapsAabb& is_near, Test& test) const {
    walk_overlaps_after<stack_size>(tree, node, slot, is_near, test);
  }
};

}  // namespace detail

/// Calls `visit(pair)` for each pair of one primitive with a later primitive of the tree that touches it, in the
/// order of the tree. If primitives are in several leaves, each finds its pairs at its first place alone.
///   leaf, place: the primitive's leaf, and its place in primitive_ids
///   shapes:      OverlappingTriangles, OverlappingPackedTriangles, OverlappingBoxes or your own
///   visit:       bool operator()(const PrimitivePair&); ends the search by returning true
template <u32 stack_size = detail::walk_stack_size, class Shapes, class Visit>
COPSE_HD inline void for_each_pair_after(const BvhView& tree, u32 leaf, u32 place, const Shapes& shapes,
                                         Visit& visit) {
  const BvhNode node = tree.nodes.data()[leaf];
  detail::visit_pairs_after<stack_size>(tree, place, node.first + node.count, shapes, visit,
                                        detail::WalkBehindLeaf<stack_size>{tree, leaf});
}

/// The same for a wide tree. `node`: the parent of the primitive's leaf.
template <u32 stack_size = detail::walk_stack_size, class Node, class Shapes, class Visit>
COPSE_HD inline void for_each_pair_after(const WideBvhView<Node>& tree, u32 node, u32 place, const Shapes& shapes,
                                         Visit& visit) {
  u32 slot = 0;
  WideChild leaf = tree.nodes.data()[node].child(slot);
  while (slot + 1 < Node::width && !(leaf.is_leaf() && place - leaf.first < leaf.count)) {
    leaf = tree.nodes.data()[node].child(++slot);
  }
  detail::visit_pairs_after<stack_size>(tree, place, leaf.first + leaf.count, shapes, visit,
                                        detail::WalkBehindSlot<stack_size, Node>{tree, node, slot});
}

// Deprecated names, until 0.2.

using TouchingTriangles [[deprecated("use OverlappingTriangles")]] = OverlappingTriangles;
using TouchingBoxes [[deprecated("use OverlappingBoxes")]] = OverlappingBoxes;

}  // namespace copse
