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
// accel that was hit). For several hits and filters, the functions of accel/accel_hit_view.h and all_hits of
// scene/scene_hit_view.h take these views too.

#include "scene/nested/robust_levels.h"
#include "scene/scene_hit_view.h"
#include "scene/scene_spawn_offset.h"

namespace copse {

namespace detail {

/// The order of hits in a scene of scenes. In a draft, `geometry` stores the bits of t in the mesh (see SceneOrder).
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
    return {{scene->record_of(draft.path, draft.path_length() - 1).triangles}};
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
  /// Out of line, as run_robust for AccelView.
  template <u32 stack_size, class Sink>
  [[gnu::noinline]] COPSE_HD static Sink run_robust(const NestedSceneView& scene, const Ray& ray, u32 mask,
                                                    Cull cull, Sink sink) {
    OfferNested<stack_size, Sink> visit{mask, sink};
    visit_meshes<stack_size>(scene, ray, mask, cull, visit);
    return sink;
  }
};

/// The closest hit by robust traversals. It is out of line, so that it costs the fast one no registers.
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

/// Returns where rays that leave a hit in a scene of scenes begin; see scene/scene_spawn_offset.h.
///   triangle: the one that was hit, as it is in its mesh
COPSE_HD inline SpawnOffset spawn_offset(const NestedSceneView& scene, const Triangle& triangle,
                                         const NestedHit& hit) {
  detail::SpawnWay way(triangle, hit.u, hit.v);
  for (u32 level = hit.path_length(); level-- > 0;) way.leave(scene.record_of(hit.path, level));
  return way.offset();
}

}  // namespace copse
