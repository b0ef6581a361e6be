#pragma once

// Traces a ray through a copse::Accel, on the host and in kernels. In kernels there is nothing to link. The host calls
// the library, which tests four boxes or four triangles at once by SIMD.
//
//   __global__ void shade(copse::AccelView scene, ...) {
//     const copse::Hit hit = copse::closest_hit(scene, ray);
//     const bool is_dark = copse::any_hit(scene, shadow_ray, casts_shadows);      // a mask
//     ...
//
// The view holds all that a ray needs: the tree, the triangles of all geometries, and their masks. The hits equal
// those of batches, bit for bit.

#include "builders/geometry/packed_triangle.h"
#include "trace/host_ray.h"
#include "trace/masked_triangles.h"
#include "trace/short_hit.h"

namespace copse {

/// The part of an Accel that kernels need: a small value, to be passed by copy. It owns nothing. It stays valid
/// through refits and rebuilds, until the Accel is compacted, assigned to or destroyed.
struct AccelView {
  CompressedBvh4View tree;                     // its primitive_ids may be null: the triangles have ids
  BufferSpan<const PackedTriangle> triangles;  // in the order of the leaves
  const u32* masks = nullptr;                  // one for each of these triangles; null: all bits are set

  /// The triangles that a ray with this mask sees, for leaf tests.
  COPSE_HD MaskedPackedTriangles seen_by(const Ray& ray, u32 mask, Cull cull) const {
    return {triangles, {masks}, mask, ray.direction, cull};
  }
};

/// Returns the closest hit: the smallest (t, primitive id through all views). On a miss primitive and geometry are
/// invalid_id and t is the ray's t_max.
///   accel:      in memory that the caller can read; in a kernel that is device memory
///   mask:       the ray sees a triangle if this shares a bit with TriangleView::mask
///   cull:       the side of triangles that the ray passes over
///   stack_size: stack entries in kernels, a power of two. A smaller stack costs time for deep trees, never hits
template <u32 stack_size = default_stack_size>
COPSE_HD inline Hit closest_hit(const AccelView& accel, const Ray& ray, u32 mask = ~u32{0},
                                Cull cull = Cull::none) {
  if constexpr (COPSE_DEVICE_CODE == 1) {
    return closest_hit<stack_size>(accel.tree, accel.seen_by(ray, mask, cull), ray);
  } else {
    return detail::closest_hit_on_host(accel.tree, accel.seen_by(ray, mask, cull), ray);
  }
}

/// Returns the hit that a batch of short hits found for this ray, with its ids and weights. It reads one triangle.
/// The bits are those of closest_hit.
COPSE_HD inline Hit full_hit(const AccelView& accel, const Ray& ray, const ShortHit& hit) {
  return full_hit(accel.triangles, ray, hit);
}

/// Returns true if the ray hits any triangle. The arguments are those of closest_hit.
template <u32 stack_size = default_stack_size>
COPSE_HD inline bool any_hit(const AccelView& accel, const Ray& ray, u32 mask = ~u32{0}, Cull cull = Cull::none) {
  if constexpr (COPSE_DEVICE_CODE == 1) {
    return any_hit<stack_size>(accel.tree, accel.seen_by(ray, mask, cull), ray);
  } else {
    return detail::any_hit_on_host(accel.tree, accel.seen_by(ray, mask, cull), ray);
  }
}

/// Calls `visit(hit)` for the ray's hits in order of (t, primitive id through all views) until it returns false.
/// Each hit takes a traversal of its own, so no memory for hits is needed.
///   visit: bool operator()(const Hit&)
template <u32 stack_size = default_stack_size, class Visit>
COPSE_HD inline void all_hits(const AccelView& accel, const Ray& ray, Visit& visit, u32 mask = ~u32{0},
                              Cull cull = Cull::none) {
  all_hits<stack_size>(accel.tree, accel.seen_by(ray, mask, cull), ray, visit);
}

}  // namespace copse
