#pragma once

// The closest hit of a ray in 8 bytes, and the full hit that it stands for. On the host and in kernels; there is
// nothing else to link.

#include "builders/geometry/packed_triangle.h"
#include "primitives/core/span.h"
#include "trace/hit/intersect.h"
#include "trace/ray.h"

namespace copse {

/// The closest hit of a ray: its t and its packed triangle. It stands for a Hit in 8 bytes in place of 20, so that a
/// batch writes less. The packed triangle has the rest: the corners, the number of the triangle in its view, the
/// view's geometry id, and the id through all views.
///
///   const copse::PackedTriangle& triangle = accel.triangles.data()[hit.triangle];    // of an AccelView
///
/// Triangles keep their places in a refit, and until the next rebuild.
struct alignas(8) ShortHit {
  float t;       // on a miss the ray's t_max
  u32 triangle;  // its place among the packed triangles; invalid_id on a miss

  // A friend: so it is found for a ShortHit alone, and the plain name is_hit still means the function of trace/ray.h.
  COPSE_HD friend bool is_hit(const ShortHit& hit) { return hit.triangle != invalid_id; }
};

static_assert(sizeof(ShortHit) == 8);

/// Returns the hit that closest_hit finds for this ray, bit for bit. It reads one triangle and computes the
/// weights.
///   triangles: the packed triangles that `hit` was found in
COPSE_HD inline Hit full_hit(const BufferSpan<const PackedTriangle>& triangles, const Ray& ray,
                             const ShortHit& hit) {
  if (!is_hit(hit)) return {hit.t, invalid_id, invalid_id, 0, 0};
  const PackedTriangle& triangle = triangles.data()[hit.triangle];
  TriangleHit found{hit.t, 0, 0};
  intersect_triangle(make_shear(ray), triangle.triangle(), ray.t_min, ray.t_max, found);
  return {found.t, triangle.local_id, triangle.geometry, found.u, found.v};
}

}  // namespace copse
