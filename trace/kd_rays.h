#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/kd/sah_kd_layout.h"
#include "primitives/core/context.h"
#include "trace/ray.h"

namespace copse {

/// Writes the closest hit of every ray. The hits are equal on all backends, and equal to those through a tree of
/// boxes over the same triangles, bit for bit.
///   tree:  over `triangles`
///   rays:  any number, may be empty
///   hits:  one per ray; must not overlap the rays
///   masks: one per ray, or none: as TraceOptions::masks; must not overlap the hits
/// Throws: Error invalid_argument if the tree was never built, or if the number of hits or of masks is not that of the
/// rays. Error out_of_memory, Error cancelled.
/// Memory: scratch of 80 bytes per view if there are several views.
COPSE_API void closest_hits(Context& context, const SahKdView& tree, const TriangleViews& triangles,
                            BufferSpan<const Ray> rays, BufferSpan<Hit> hits, BufferSpan<const u32> masks = {});

/// Sets occluded[i] to 1 if ray i hits anything, else to 0. Everything else is as for closest_hits.
COPSE_API void any_hits(Context& context, const SahKdView& tree, const TriangleViews& triangles,
                        BufferSpan<const Ray> rays, BufferSpan<u8> occluded, BufferSpan<const u32> masks = {});

}  // namespace copse
