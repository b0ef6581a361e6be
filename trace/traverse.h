#pragma once

// The walk of a ray through a tree of any layout, for the host and for kernels, with nothing else to link.
//
//   copse::Hit hit = copse::closest_hit(bvh.view(), triangles, ray);
//   bool blocked = copse::any_hit(bvh.view(), triangles, ray);
//   copse::all_hits(bvh.view(), triangles, ray, visit);      // in order
//
// The tree: a BvhView or a WideBvhView. The triangles: a TriangleView, a TriangleTable, or the span of a
// PackedTriangles made for that very tree. Hits are equal in all of these, bit for bit.
//
// Other primitives than triangles: traverse() with a leaf test of your own, over a tree made from boxes.
// Through grids in place of trees: trace/grid_march.h, trace/frustum_march.h.
//
// How it goes without a depth limit: trace/walk/walk.h.

#include "trace/hit/triangle_tests.h"
#include "trace/walk/walk.h"
#include "trace/walk/wide_tree.h"

namespace copse {

/// The views of trees: BvhView and WideBvhView.
template <class View>
concept RayTree = requires(const View& view) {
  detail::tree_of(view);
};

/// Walks the tree front to back and calls `leaf_test(primitive, limit)` for the primitives of every leaf whose
/// box the ray enters at or before `limit`, which starts at the ray's t_max.
///   leaf_test: bool operator()(u32 primitive, float& limit); it may lower the limit to the t of a hit, and
///              ends the walk by returning true. Boxes that begin at the limit itself are still visited. With a
///              member `static constexpr bool takes_places = true` it gets the place of the primitive among the
///              view's primitive_ids instead.
///              What is found is the same in every tree where the test promises two things: that its answer is a
///              function of the ray and the primitive alone, but for the comparison with the limit; and that the t
///              of a hit lies where the ray is in the primitive's own box, give or take 2^-20 of the time at which
///              the ray has passed all of that box along its largest component. A test that cannot promise it, as
///              of a sphere by a quadratic equation, brings t into that interval, and says miss where it is empty.
/// Returns the limit as it was left.
template <u32 stack_size = default_stack_size, RayTree View, class LeafTest, class Counter>
COPSE_HD inline float traverse(const View& bvh, const Ray& ray, LeafTest& leaf_test, Counter& counter) {
  return detail::traverse_robust<stack_size>(detail::tree_of(bvh), ray, leaf_test, counter);
}

/// The same without a counter, through anything that has a traverse of its own: trees, and the grids of
/// trace/grid_march.h and trace/frustum_march.h.
template <u32 stack_size = default_stack_size, class View, class LeafTest>
COPSE_HD inline float traverse(const View& view, const Ray& ray, LeafTest& leaf_test) {
  NoCounter counter;
  return traverse<stack_size>(view, ray, leaf_test, counter);
}

/// The closest hit: the smallest (t, primitive id through all views). On a miss primitive and geometry are
/// invalid_id and t is the ray's t_max.
///   view:            a tree, or a grid whose header is included
///   view, triangles: in memory that the caller can read: the device's in a kernel
///   stack_size:      of walks through trees
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

/// True where the ray hits any triangle.
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
/// Each hit takes a walk of its own, from the hit before on, so that no memory for hits is needed.
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

/// The closest triangle by its primitive id, counted through all views.
template <class View, class Counter>
COPSE_HD inline TriangleAt closest_triangle(const View& view, const TriangleTable& triangles, const Ray& ray,
                                            Counter& counter) {
  ClosestTriangle closest(triangles_of(triangles), ray);
  const float limit = traverse<default_stack_size>(view, ray, closest, counter);
  return closest.result(limit);
}

}  // namespace detail

}  // namespace copse
