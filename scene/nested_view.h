#pragma once

// Traces a ray through a copse::NestedScene, on the host and in kernels: the closest hit, any hit, several hits, and
// filters of hits. In kernels there is nothing to link. For batches: scene/nested_rays.h.
//
//   __global__ void shade(copse::NestedSceneView scene, ...) {
//     const copse::NestedHit hit = copse::closest_hit(scene, ray);
//     const u32 material = materials[scene.id_of(hit)];
//     ...
//
// The hits equal those of batches, bit for bit. They are in order of (t, path, primitive id through all views of the
// accel that was hit).

#include "scene/nested/robust_levels.h"
#include "trace/hit_list.h"

namespace copse {

namespace detail {

/// The order of hits in a scene of scenes. In a draft, `geometry` has the bits of t as the mesh has it.
struct NestedOrder {
  using HitType = NestedHit;

  const NestedSceneView* scene;

  COPSE_HD bool before(const NestedHit& a, const NestedHit& b) const {
    if (a.t != b.t) return a.t < b.t;
    const i32 order = compare_paths(a, b);
    return order == 0 ? in_mesh(a).before(draft_in_mesh(a), draft_in_mesh(b)) : order < 0;
  }
  COPSE_HD NestedHit finished(const NestedHit& draft) const {
    const Hit hit = in_mesh(draft).finished(draft_in_mesh(draft));
    NestedHit result = draft;
    result.primitive = hit.primitive;
    result.geometry = hit.geometry;
    return result;
  }
  COPSE_HD static NestedHit miss(float t_max) { return NestedHit::miss(t_max); }

 private:
  COPSE_HD TriangleOrder<PlacedTriangles> in_mesh(const NestedHit& draft) const {
    return {{scene->record_of(draft, draft.path_length() - 1).triangles}};
  }
  COPSE_HD static Hit draft_in_mesh(const NestedHit& draft) {
    return {float_from_bits(draft.geometry), draft.primitive, 0, draft.u, draft.v};
  }
};

/// The search through a scene of scenes.
template <>
struct HitSearch<NestedSceneView> {
  using Order = NestedOrder;

  COPSE_HD static Order order_of(const NestedSceneView& scene) { return {&scene}; }

  template <u32 stack_size, class Sink>
  COPSE_HD static void run(const NestedSceneView& scene, const Ray& ray, u32 mask, Cull cull, Sink& sink) {
    if constexpr (Sink::can_start_again) {
      NestedPath path(scene, ray, cull);
      SeveralNestedHits<Sink> test(path, sink);
      float limit;
      if (walk_levels<LevelInOrder>(scene, ray, mask, path, test, limit)) return;
      sink.start_again();
    }
    sink = run_robust<stack_size>(scene, ray, mask, cull, sink);
  }

 private:
  /// Out of line, as that of AccelView.
  template <u32 stack_size, class Sink>
  [[gnu::noinline]] COPSE_HD static Sink run_robust(const NestedSceneView& scene, const Ray& ray, u32 mask,
                                                    Cull cull, Sink sink) {
    OfferNested<stack_size, Sink> visit{mask, sink};
    visit_meshes<stack_size>(scene, ray, mask, cull, visit);
    return sink;
  }
};

/// The closest hit by robust traversals. It is out of line so that it takes no registers from the fast one.
template <u32 stack_size>
[[gnu::noinline]] COPSE_HD NestedHit robust_closest_hit(const NestedSceneView& scene, const Ray& ray, u32 mask,
                                                        Cull cull) {
  ClosestNested<stack_size> visit{mask, NestedHit::miss(ray.t_max)};
  visit_meshes<stack_size>(scene, ray, mask, cull, visit);
  return visit.closest;
}

/// The same for any hit.
template <u32 stack_size>
[[gnu::noinline]] COPSE_HD bool robust_any_hit(const NestedSceneView& scene, const Ray& ray, u32 mask, Cull cull) {
  AnyNested<stack_size> visit{mask};
  visit_meshes<stack_size>(scene, ray, mask, cull, visit);
  return visit.found;
}

}  // namespace detail

/// Returns the closest hit: the smallest (t, path, primitive id through all views of the accel). On a miss the ids are
/// invalid_id and t is the ray's t_max.
///   scene:      in memory that the caller can read; in a kernel that is device memory
///   mask:       the ray sees an instance if this shares a bit with Instance::mask, on each level, and in the mesh a
///               triangle if this shares a bit with TriangleView::mask
///   cull:       the side of triangles that the ray passes over. Each instance of the path changes it by its flags: see
///               InstanceFlags
///   stack_size: stack entries of each level, a power of two, where a kernel needs the robust traversal
template <u32 stack_size = default_stack_size>
COPSE_HD inline NestedHit closest_hit(const NestedSceneView& scene, const Ray& ray, u32 mask = ~u32{0},
                                      Cull cull = Cull::none) {
  if constexpr (COPSE_DEVICE_CODE == 1) {
    detail::NestedPath path(scene, ray, cull);
    detail::OneNestedHit<detail::ClosestTriangle> test(path);
    float limit;
    if (detail::walk_levels<detail::LevelInOrder>(scene, ray, mask, path, test, limit)) return test.hit(limit);
  }
  return detail::robust_closest_hit<stack_size>(scene, ray, mask, cull);
}

/// Returns true if the ray hits any triangle of any instance. The arguments are those of closest_hit.
template <u32 stack_size = default_stack_size>
COPSE_HD inline bool any_hit(const NestedSceneView& scene, const Ray& ray, u32 mask = ~u32{0},
                             Cull cull = Cull::none) {
  if constexpr (COPSE_DEVICE_CODE == 1) {
    detail::NestedPath path(scene, ray, cull);
    detail::OneNestedHit<detail::AnyTriangleAt> test(path);
    float limit;
    if (detail::walk_levels<detail::LevelInNoOrder>(scene, ray, mask, path, test, limit)) return test.is_hit();
  }
  return detail::robust_any_hit<stack_size>(scene, ray, mask, cull);
}

/// Returns the closest hit that the filter accepts; see trace/hit_filter.h. On a miss the ids are invalid_id and t is
/// the ray's t_max.
///   filter: FilterAnswer operator()(const NestedHit&)
///   others: as for closest_hit without a filter
template <u32 stack_size = default_stack_size, class Filter>
requires HitFilter<Filter, NestedHit> COPSE_HD inline NestedHit closest_hit(const NestedSceneView& scene,
                                                                            const Ray& ray, Filter&& filter,
                                                                            u32 mask = ~u32{0},
                                                                            Cull cull = Cull::none) {
  const HitList<1, NestedHit> list = detail::list_first<1, stack_size>(scene, ray, mask, cull, &filter);
  return list.count > 0 ? list.hits[0] : NestedHit::miss(ray.t_max);
}

/// Returns true if the filter accepts any hit of the ray. A filter that always passes over sees every hit once.
template <u32 stack_size = default_stack_size, class Filter>
requires HitFilter<Filter, NestedHit> COPSE_HD inline bool any_hit(const NestedSceneView& scene, const Ray& ray,
                                                                   Filter&& filter, u32 mask = ~u32{0},
                                                                   Cull cull = Cull::none) {
  return detail::accepts_any<stack_size>(scene, ray, mask, cull, &filter);
}

/// Returns the first `k` hits in order of (t, path, primitive id), or all of them if there are fewer. It takes one
/// traversal, which ends behind the last of them.
///   k: at least 1. Each hit is put in its place in the list, so that k is best up to some 16
template <u32 k, u32 stack_size = default_stack_size>
COPSE_HD inline HitList<k, NestedHit> first_hits(const NestedSceneView& scene, const Ray& ray, u32 mask = ~u32{0},
                                                 Cull cull = Cull::none) {
  return detail::list_first<k, stack_size>(scene, ray, mask, cull);
}

/// The same for the hits that a filter accepts.
template <u32 k, u32 stack_size = default_stack_size, class Filter>
requires HitFilter<Filter, NestedHit> COPSE_HD inline HitList<k, NestedHit> first_hits(
    const NestedSceneView& scene, const Ray& ray, Filter&& filter, u32 mask = ~u32{0}, Cull cull = Cull::none) {
  return detail::list_first<k, stack_size>(scene, ray, mask, cull, &filter);
}

/// Calls `visit(hit)` for the ray's hits in order of (t, path, primitive id) until it returns false. A traversal
/// finds 8 of them, and the next one goes on behind them. So no memory for hits is needed.
///   visit: bool operator()(const NestedHit&)
template <u32 stack_size = default_stack_size, class Visit>
COPSE_HD inline void all_hits(const NestedSceneView& scene, const Ray& ray, Visit& visit, u32 mask = ~u32{0},
                              Cull cull = Cull::none) {
  constexpr u32 at_once = 8;
  NestedHit drafts[at_once], last;
  const detail::NestedOrder order{&scene};
  const NestedHit* after = nullptr;
  detail::AcceptAll* const no_filter = nullptr;
  for (u32 count = at_once; count == at_once; after = &last) {
    count = detail::find_first<stack_size>(scene, ray, mask, cull, drafts, at_once, no_filter, after);
    for (u32 i = 0; i < count; ++i) {
      if (!visit(order.finished(drafts[i]))) return;
    }
    last = drafts[at_once - 1];
  }
}

/// Returns the number of hits of the ray.
template <u32 stack_size = default_stack_size>
COPSE_HD inline u32 count_hits(const NestedSceneView& scene, const Ray& ray, u32 mask = ~u32{0},
                               Cull cull = Cull::none) {
  return detail::count_all<stack_size>(scene, ray, mask, cull);
}

}  // namespace copse
