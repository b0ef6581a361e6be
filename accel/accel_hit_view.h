#pragma once

// Several hits of one ray through a copse::Accel, and filters of hits, on the host and in kernels. There is nothing
// else to link. For batches: accel/accel_hits.h.
//
//   const copse::HitList list = copse::first_hits<8>(accel.view(), ray);       // in order
//   for (u32 i = 0; i < list.count; ++i) through(list.hits[i]);
//
//   Opaque filter{alpha};                                                      // trace/hit_filter.h
//   const copse::Hit hit = copse::closest_hit(accel.view(), ray, filter);
//
// Hits are those of closest_hit and all_hits (accel/accel_view.h), bit for bit, with masks and culling as there.

#include "accel/accel_view.h"
#include "trace/hit_list.h"

namespace copse {

namespace detail {

/// The search through an Accel.
template <>
struct HitSearch<AccelView> {
  using Order = TriangleOrder<PlacedTriangles>;

  COPSE_HD static Order order_of(const AccelView& accel) { return {triangles_of(accel.triangles)}; }

  template <u32 stack_size, class Sink>
  COPSE_HD static void run(const AccelView& accel, const Ray& ray, u32 mask, Cull cull, Sink& sink) {
    if constexpr (Sink::can_start_again) {
      if (Sink::drops_repeats || accel.tree.repeats == nullptr) {
        if (offer_hits_fast(accel.tree, triangles_of(accel.seen_by(ray, mask, cull)), ray, sink)) return;
        sink.start_again();
      }
    }
    sink = run_robust<stack_size>(accel, ray, mask, cull, sink);
  }

 private:
  /// It is out of line, and takes the sink by value, so that the sink of the fast traversal stays in registers.
  template <u32 stack_size, class Sink>
  [[gnu::noinline]] COPSE_HD static Sink run_robust(const AccelView& accel, const Ray& ray, u32 mask, Cull cull,
                                                    Sink sink) {
    offer_hits<stack_size>(accel.tree, triangles_of(accel.seen_by(ray, mask, cull)), ray, sink);
    return sink;
  }
};

}  // namespace detail

/// Returns the closest hit that the filter accepts; see trace/hit_filter.h. On a miss the ids are invalid_id and t is
/// the ray's t_max.
///   view:   an AccelView, or with their headers a SceneView or NestedSceneView; so for the functions below
///   filter: FilterAnswer operator()(const Hit&); of scenes const SceneHit& or const NestedHit&
///   others: as for closest_hit without a filter
template <u32 stack_size = default_stack_size, detail::HitSearched View, class Filter>
requires HitFilter<Filter, detail::HitOf<View>> COPSE_HD inline detail::HitOf<View> closest_hit(
    const View& view, const Ray& ray, Filter&& filter, u32 mask = ~u32{0}, Cull cull = Cull::none) {
  const auto list = detail::list_first<1, stack_size>(view, ray, mask, cull, &filter);
  return list.count > 0 ? list.hits[0] : detail::HitSearch<View>::Order::miss(ray.t_max);
}

/// Returns true if the filter accepts any hit of the ray. A filter that always answers pass_over sees every hit once.
template <u32 stack_size = default_stack_size, detail::HitSearched View, class Filter>
requires HitFilter<Filter, detail::HitOf<View>> COPSE_HD inline bool any_hit(const View& view, const Ray& ray,
                                                                             Filter&& filter, u32 mask = ~u32{0},
                                                                             Cull cull = Cull::none) {
  return detail::accepts_any<stack_size>(view, ray, mask, cull, &filter);
}

/// Returns the first `k` hits in order of (t, primitive id through all views), or all of them if there are fewer. In
/// scenes the instance, or the path of instances, comes before the primitive id. It takes one traversal, which ends
/// behind the last of these hits.
///   k: at least 1. Each hit is inserted into the sorted list, so k should be at most about 16
template <u32 k, u32 stack_size = default_stack_size, detail::HitSearched View>
COPSE_HD inline HitList<k, detail::HitOf<View>> first_hits(const View& view, const Ray& ray, u32 mask = ~u32{0},
                                                           Cull cull = Cull::none) {
  return detail::list_first<k, stack_size>(view, ray, mask, cull);
}

/// The same for the hits that a filter accepts.
template <u32 k, u32 stack_size = default_stack_size, detail::HitSearched View, class Filter>
requires HitFilter<Filter, detail::HitOf<View>> COPSE_HD inline HitList<k, detail::HitOf<View>> first_hits(
    const View& view, const Ray& ray, Filter&& filter, u32 mask = ~u32{0}, Cull cull = Cull::none) {
  return detail::list_first<k, stack_size>(view, ray, mask, cull, &filter);
}

/// Returns the number of hits of the ray.
template <u32 stack_size = default_stack_size, detail::HitSearched View>
COPSE_HD inline u32 count_hits(const View& view, const Ray& ray, u32 mask = ~u32{0}, Cull cull = Cull::none) {
  return detail::count_all<stack_size>(view, ray, mask, cull);
}

}  // namespace copse
