#pragma once

#include "builders/bvh/node.h"
#include "builders/geometry/primitive_set.h"
#include "primitives/core/context.h"
#include "trace/ray.h"

namespace copse {

/// The closest hit of every ray, equal on all backends bit for bit.
///   bvh:       a tree over `triangles`, of any depth
///   rays:      any number, may be empty
///   hits:      as many; must not overlap the rays
/// Throws: Error invalid_argument where there are not as many hits as rays, Error out_of_memory, Error cancelled.
/// Memory: scratch of 64 bytes a view where there are several views.
void closest_hits(Context& context, const BvhView& bvh, const TriangleViews& triangles, BufferSpan<const Ray> rays,
                  BufferSpan<Hit> hits);

/// occluded[i] is 1 where ray i hits anything, else 0. Everything else as closest_hits.
void any_hits(Context& context, const BvhView& bvh, const TriangleViews& triangles, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded);

}  // namespace copse
