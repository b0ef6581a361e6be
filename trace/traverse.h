#pragma once

// Traces a ray through a tree of any layout, on the host and in kernels. There is nothing else to link.
//
//   copse::Hit hit = copse::closest_hit(bvh.view(), triangles, ray);
//   bool blocked = copse::any_hit(bvh.view(), triangles, ray);
//   copse::all_hits(bvh.view(), triangles, ray, visit);      // in order
//
// The tree is a BvhView or a WideBvhView. The triangles are a TriangleView, a TriangleTable, or the span of
// PackedTriangles that were made for this tree. All of them give equal hits, bit for bit.
//
// For other primitives than triangles, build a tree from boxes and call traverse() with your own leaf test. For
// grids in place of trees, see trace/grid_march.h and trace/frustum_march.h; for masks, trace/masked_triangles.h.
//
// trace/walk/walk.h explains how it works without a depth limit.

#include "trace/hit/triangle_tests.h"
#include "trace/walk/walk.h"
#include "trace/walk/wide_tree.h"

namespace copse {

/// The views of trees: BvhView and WideBvhView.
template <class View>
concept RayTree = requires(const View& view) {
  detail::tree_of(view);
};

/// Traverses the tree front to back. Calls `leaf_test(primitive, limit)` for the primitives of each leaf whose box
/// the ray enters at or before `limit`. The limit starts at the ray's t_max. Returns the last limit.
///   leaf_test: bool operator()(u32 primitive, float& limit). It may lower the limit to the t of a hit. It ends
///              the traversal by returning true. Boxes that begin at the limit itself are still visited. With a
///              member `static constexpr bool takes_places = true` it gets the place of the primitive in the
///              view's primitive_ids instead of the id.
///   counter:   VisitCounter counts nodes and primitives, NoCounter nothing
/// The hits are the same in every tree if the test keeps two promises. First, its answer depends on the ray and
/// the primitive alone, except for the comparison with the limit. Second, at the t of a hit the ray is in the
/// primitive's own box. t may err by 2^-20 of the time at which the ray has passed all of that box along its largest
/// component. A test that cannot promise this, such as a quadratic equation for a sphere, must clamp t to the times in
/// the box, and must report a miss if there are none.
template <u32 stack_size = default_stack_size, RayTree View, class LeafTest, class Counter>
COPSE_HD inline float traverse(const View& bvh, const Ray& ray, LeafTest& leaf_test, Counter& counter) {
  return detail::traverse_robust<stack_size>(detail::tree_of(bvh), ray, leaf_test, counter);
}

/// The same without a counter, through anything that has a traverse() of its own: trees, and the grids of
/// trace/grid_march.h and trace/frustum_march.h.
template <u32 stack_size = default_stack_size, class View, class LeafTest>
COPSE_HD inline float traverse(const View& view, const Ray& ray, LeafTest& leaf_test) {
  NoCounter counter;
  return traverse<stack_size>(view, ray, leaf_test, counter);
}

/// Returns the closest hit: the smallest (t, primitive id through all views). On a miss primitive and geometry are
/// invalid_id and t is the ray's t_max.
///   view:            a tree, or a grid whose header is included
///   view, triangles: in memory that the caller can read; in a kernel that is device memory
///   stack_size:      stack entries for trees, a power of two. A smaller stack costs time for deep trees, never
///                    hits
template <u32 stack_size = default_stack_size, class View, class Triangles, class Counter>
COPSE_HD inline Hit closest_hit(const View& view, const Triangles& triangles, const Ray& ray, Counter& counter) {
  const auto source = detail::triangles_of(triangles);
  detail::ClosestTriangle closest(source, ray);
  const float limit = traverse<stack_size>(view, ray, closest, counter);
  return closest.hit(limit);
}

template <u32 stack_size = default_stack_size, class View, class Triangles>
COPSE_HD inline Hit closest_hit(const View& view, const Triangles& triangles, const Ray& ray) {
  NoCounter counter;
  return closest_hit<stack_size>(view, triangles, ray, counter);
}

template <u32 stack_size = default_stack_size, class View>
COPSE_HD inline Hit closest_hit(const View& view, const TriangleView& triangles, const Ray& ray) {
  return closest_hit<stack_size>(view, TriangleTable{triangles}, ray);
}

/// Returns true if the ray hits any triangle. The arguments are those of closest_hit.
template <u32 stack_size = default_stack_size, class View, class Triangles>
COPSE_HD inline bool any_hit(const View& view, const Triangles& triangles, const Ray& ray) {
  const auto source = detail::triangles_of(triangles);
  detail::AnyTriangle any(source, ray);
  NoCounter counter;
  traverse<stack_size>(view, ray, any, counter);
  return any.found;
}

template <u32 stack_size = default_stack_size, class View>
COPSE_HD inline bool any_hit(const View& view, const TriangleView& triangles, const Ray& ray) {
  return any_hit<stack_size>(view, TriangleTable{triangles}, ray);
}

/// Calls `visit(hit)` for the ray's hits in order of (t, primitive id through all views) until it returns false.
/// Each hit takes a traversal of its own, which starts at the hit before. So no memory for hits is needed.
template <u32 stack_size = default_stack_size, RayTree View, class Triangles, class Visit>
COPSE_HD inline void all_hits(const View& bvh, const Triangles& triangles, Ray ray, Visit& visit) {
  const auto source = detail::triangles_of(triangles);
  detail::ClosestTriangle first(source, ray);
  float limit = traverse<stack_size>(bvh, ray, first);
  u32 at = first.closest;
  Hit hit = first.hit(limit);
  while (is_hit(hit) && visit(hit)) {
    ray.t_min = hit.t;
    detail::NextTriangle next(source, ray, hit.t, source.primitive(at));
    limit = traverse<stack_size>(bvh, ray, next);
    at = next.closest;
    hit = next.hit(limit);
  }
}

template <u32 stack_size = default_stack_size, RayTree View, class Visit>
COPSE_HD inline void all_hits(const View& bvh, const TriangleView& triangles, const Ray& ray, Visit& visit) {
  all_hits<stack_size>(bvh, TriangleTable{triangles}, ray, visit);
}

namespace detail {

/// Returns the closest triangle by its primitive id, counted through all views, or by its place if it is packed.
template <class View, class Triangles, class Counter>
COPSE_HD inline TriangleAt closest_triangle(const View& view, const Triangles& triangles, const Ray& ray,
                                            Counter& counter) {
  ClosestTriangle closest(triangles_of(triangles), ray);
  const float limit = traverse<default_stack_size>(view, ray, closest, counter);
  return closest.result(limit);
}

}  // namespace detail

}  // namespace copse
