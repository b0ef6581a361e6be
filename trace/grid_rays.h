#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/grid/layout.h"
#include "primitives/core/context.h"
#include "trace/ray.h"

namespace copse {

/// The closest hit of every ray, equal on all backends bit for bit, and equal to that through a tree over the same
/// triangles: ids differ at most where two hits are within 4 ulp of the same t.
///   grid:  over `triangles`, and complete (check_complete)
///   rays:  any number, may be empty
///   hits:  as many; must not overlap the rays
/// Throws: Error invalid_argument where there are not as many hits as rays, Error out_of_memory, Error cancelled.
/// Memory: scratch of 80 bytes a view where there are several views.
void closest_hits(Context& context, const GridView& grid, const TriangleViews& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<Hit> hits);

/// occluded[i] is 1 where ray i hits anything, else 0. Everything else as closest_hits.
void any_hits(Context& context, const GridView& grid, const TriangleViews& triangles, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded);

}  // namespace copse
