#pragma once

// The triangles that overlap a region, for the host and for kernels, with nothing else to link. Regions:
// queries/region.h.
//
//   copse::u32 count = copse::count_overlaps(bvh.view(), triangles, copse::Sphere{centre, radius});
//   copse::for_each_overlap(bvh.view(), triangles, box, visitor);     // bool visitor(u32 primitive); true ends
//
// For other primitives than triangles, call walk_overlaps (queries/overlaps/overlap_traversal.h) with a test of
// your own. For batches: queries/overlap_queries.h.

#include <type_traits>

#include "queries/overlaps/overlap_traversal.h"
#include "queries/region.h"
#include "trace/masked_triangles.h"

namespace copse {

namespace detail {

template <class Region>
struct OverlapsBox {
  const Region& region;
  COPSE_HD bool operator()(const vec3& lo, const vec3& hi) const { return touches_box(region, lo, hi); }
};

/// Test of a traversal: passes the triangles that touch the region to `visit`. It tests the triangle's own box first,
/// so that the result does not depend on the boxes of the tree.
template <class Triangles, class Region, class Visit>
struct VisitOverlaps {
  static constexpr bool takes_places = Triangles::takes_places;

  Triangles triangles;
  const Region& region;
  Visit& visit;

  COPSE_HD bool operator()(u32 at) {
    if (!triangles.sees(at)) return false;
    const Triangle triangle = triangles.triangle(at);
    const Aabb around = bounds(triangle);
    if (is_empty(around) || !touches_box(region, around.lo, around.hi)) return false;
    return touches(region, triangle) && visit(triangles.primitive(at));
  }
};

struct CountVisits {
  u32 count = 0;
  COPSE_HD bool operator()(u32) {
    ++count;
    return false;
  }
};

struct EndAtOnce {
  bool found = false;
  COPSE_HD bool operator()(u32) { return found = true; }
};

}  // namespace detail

/// Calls `visit(primitive)` for every triangle that touches the region. Triangles come in the order of the tree,
/// which is the same on all backends. A primitive id counts through all views.
///   visit:           bool operator()(u32 primitive); ends the search by returning true
///   tree:            a BvhView, or any type with an overload of walk_overlaps
///   triangles:       as for nearest_point (queries/nearest_point.h)
///   tree, triangles: in memory that the caller can read: in a kernel, the device's
template <u32 stack_size = detail::walk_stack_size, class Tree, class Triangles, class Region, class Visit>
COPSE_HD inline void for_each_overlap(const Tree& tree, const Triangles& triangles, const Region& region,
                                      Visit& visit) {
  if (!has_points(region)) return;
  const auto fetched = detail::triangles_of(triangles);
  detail::VisitOverlaps<std::remove_const_t<decltype(fetched)>, Region, Visit> test{fetched, region, visit};
  walk_overlaps<stack_size>(tree, detail::OverlapsBox<Region>{region}, test);
}

/// Returns how many triangles touch the region.
template <u32 stack_size = detail::walk_stack_size, class Tree, class Triangles, class Region>
COPSE_HD inline u32 count_overlaps(const Tree& tree, const Triangles& triangles, const Region& region) {
  detail::CountVisits visits;
  for_each_overlap<stack_size>(tree, triangles, region, visits);
  return visits.count;
}

/// Returns true if any triangle touches the region.
template <u32 stack_size = detail::walk_stack_size, class Tree, class Triangles, class Region>
COPSE_HD inline bool any_overlap(const Tree& tree, const Triangles& triangles, const Region& region) {
  detail::EndAtOnce visit;
  for_each_overlap<stack_size>(tree, triangles, region, visit);
  return visit.found;
}

template <u32 stack_size = detail::walk_stack_size, class Tree, class Region, class Visit>
COPSE_HD inline void for_each_overlap(const Tree& tree, const TriangleView& triangles, const Region& region,
                                      Visit& visit) {
  for_each_overlap<stack_size>(tree, TriangleTable{triangles}, region, visit);
}

template <u32 stack_size = detail::walk_stack_size, class Tree, class Region>
COPSE_HD inline u32 count_overlaps(const Tree& tree, const TriangleView& triangles, const Region& region) {
  return count_overlaps<stack_size>(tree, TriangleTable{triangles}, region);
}

template <u32 stack_size = detail::walk_stack_size, class Tree, class Region>
COPSE_HD inline bool any_overlap(const Tree& tree, const TriangleView& triangles, const Region& region) {
  return any_overlap<stack_size>(tree, TriangleTable{triangles}, region);
}

}  // namespace copse
