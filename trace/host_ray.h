#pragma once

// One ray of the host through compressed nodes and packed triangles, by the SIMD instructions of the machine. Callers
// use closest_hit and any_hit of accel/accel_view.h, which come here when they run on the host.

#include "trace/masked_triangles.h"

namespace copse::detail {

/// Returns the hit that closest_hit(tree, triangles, ray) returns, bit for bit.
///   node: where the ray begins. It sees only the triangles below this node
COPSE_API Hit closest_hit_on_host(const CompressedBvh4View& tree, const MaskedPackedTriangles& triangles,
                                  const Ray& ray, u32 node = 0);

/// Returns what any_hit(tree, triangles, ray) returns.
COPSE_API bool any_hit_on_host(const CompressedBvh4View& tree, const MaskedPackedTriangles& triangles,
                               const Ray& ray, u32 node = 0);

}  // namespace copse::detail
